#include "bench/api/http_load.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>

#include "bench/tools.h"

namespace berth::bench {
namespace {

constexpr std::string_view kPut = "event: put\n", kSession = "{\"table\":\"sessions\",\"key\":\"";
constexpr std::size_t kUuidText = 36;

[[noreturn]] void lost(const std::string& why) { give_up(make_error("internal-error", why)); }

double cpu_s(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Which of several clients has something to read.
class Ready {
 public:
  Ready() : fd_(::epoll_create1(EPOLL_CLOEXEC)) {}
  ~Ready() { ::close(fd_); }
  Ready(const Ready&) = delete;
  void add(const Client& client, std::size_t number) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    ::epoll_ctl(fd_, EPOLL_CTL_ADD, client.fd(), &event);
  }
  template <class F> void each(int wait_ms, F f) {
    const int count = ::epoll_wait(fd_, events_.data(), static_cast<int>(events_.size()), wait_ms);
    for (int i = 0; i < count; ++i) f(events_[static_cast<std::size_t>(i)].data.u64);
  }

 private:
  int fd_;
  std::array<epoll_event, 256> events_{};
};

// Where the body begins, and its length; 0 while the reply is not whole.
std::size_t whole_reply(const std::string& bytes, std::string_view status, std::size_t& body) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  if (!bytes.starts_with("HTTP/1.1 " + std::string(status))) lost(bytes);
  const std::string_view name = "\r\nContent-Length: ";
  const auto at = bytes.find(name);
  if (at > end) lost("a reply without a length");
  std::size_t length = 0;
  std::from_chars(bytes.data() + at + name.size(), bytes.data() + end, length);
  body = end + 4;
  return bytes.size() >= body + length ? body + length : 0;
}

}  // namespace

Client::Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    lost(std::string("connect: ") + std::strerror(errno));
}

Client::~Client() {
  if (fd_ >= 0) ::close(fd_);
}

void Client::send(std::string_view bytes) {
  if (::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
    lost(std::string("send: ") + std::strerror(errno));
}

void Client::read() {
  static thread_local std::vector<char> buffer(1u << 20);
  const ssize_t count = ::recv(fd_, buffer.data(), buffer.size(), 0);
  if (count <= 0) lost("the server closed a connection: " + read_);
  read_.append(buffer.data(), static_cast<std::size_t>(count));
}

LoadResult load(std::uint16_t port, std::size_t connections, const std::vector<std::string>& requests,
                double seconds, std::string_view status) {
  std::vector<Client> clients;
  Ready ready;
  std::size_t next = 0;
  const auto ask = [&](Client& client) { client.send(requests[next++ % requests.size()]); };
  for (std::size_t i = 0; i < connections; ++i) ready.add(clients.emplace_back(port), i);
  for (Client& client : clients) ask(client);
  const Stopwatch watch;
  const double all = cpu_s(CLOCK_PROCESS_CPUTIME_ID), mine = cpu_s(CLOCK_THREAD_CPUTIME_ID);
  LoadResult result;
  double replies = 0;
  while (replies == 0 || watch.seconds() < seconds)
    ready.each(1'000, [&](std::size_t number) {
      Client& client = clients[number];
      client.read();
      std::size_t body = 0;
      const std::size_t size = whole_reply(client.bytes(), status, body);
      if (size == 0) return;
      result.body_bytes = size - body;
      if (replies++ == 0) result.body = client.bytes().substr(body);
      client.bytes().clear();
      ask(client);
    });
  result.per_s = replies / watch.seconds();
  const double cpu = cpu_s(CLOCK_PROCESS_CPUTIME_ID) - all - (cpu_s(CLOCK_THREAD_CPUTIME_ID) - mine);
  result.cpu_us = cpu / replies * 1e6;
  return result;
}

Watchers::Watchers(std::uint16_t port, const std::vector<std::string>& requests, OnPut on_put)
    : on_put_(std::move(on_put)) {
  for (const std::string& request : requests) {
    Client& client = clients_.emplace_back(port);
    client.send(request);
    while (client.bytes().find("event: position") == std::string::npos) client.read();
  }
  thread_ = std::thread([this] { run(); });
}

Watchers::~Watchers() {
  stopping_ = true;
  thread_.join();
}

void Watchers::run() {
  Ready ready;
  for (std::size_t i = 0; i < clients_.size(); ++i) ready.add(clients_[i], i);
  while (!stopping_)
    ready.each(100, [&](std::size_t watcher) {
      clients_[watcher].read();
      take(watcher, now_ns());
    });
}

// All whole frames; the rest stays.
void Watchers::take(std::size_t watcher, std::int64_t now) {
  std::string& bytes = clients_[watcher].bytes();
  const std::size_t end = bytes.rfind("\n\n");
  if (end == std::string::npos) return;
  const std::string_view frames(bytes.data(), end);
  if (frames.find("event: restart\n") != std::string_view::npos) lost("a stream ended: " + bytes);
  for (auto at = frames.find(kPut); at != std::string_view::npos; at = frames.find(kPut, at + 1)) {
    const auto row = frames.find('{', at);
    if (frames.substr(row).starts_with(kSession))
      on_put_(watcher, frames.substr(row + kSession.size(), kUuidText), now);
  }
  bytes.erase(0, end + 2);
}

}  // namespace berth::bench
