#include "ops/cli/apps/port_listener.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ops/cli/apps/local_connection.h"
#include "ops/cli/session/inside_talk.h"

namespace berth::cli {
namespace {

constexpr int kWaitingMax = 64;  // connections that are not accepted yet
constexpr int kRestMs = 1'000;

// As the next connection would fail, and the one behind it.
bool is_for_good(const Failure& failure) {
  return failure.exit == kDenied || failure.exit == kUsage ||
         (failure.exit == kNotFound && failure.code != kNoSuchApp) || failure.code == "session-ended" ||
         failure.code == "not-for-this-backend";
}

void close_if_open(int descriptor) {
  if (descriptor >= 0) ::close(descriptor);
}

// At once, so that a program does not take it for an answer.
void turn_away(int local) {
  const linger at_once{1, 0};
  ::setsockopt(local, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(local);
}

}  // namespace

PortListener::PortListener(ListenAim aim)
    : aim_(std::move(aim)),
      ends_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      news_waits_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

PortListener::~PortListener() {
  end_all();
  for (const int descriptor : {listens_, ends_, news_waits_}) close_if_open(descriptor);
}

Outcome<std::uint16_t> PortListener::bind(std::uint16_t port) {
  listens_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  ::setsockopt(listens_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // of an end before, not of a listener
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listens_ >= 0 && ends_ >= 0 && news_waits_ >= 0 && ::bind(listens_, generic, size) == 0 &&
      ::listen(listens_, kWaitingMax) == 0 && ::getsockname(listens_, generic, &size) == 0)
    return ntohs(address.sin_port);
  const std::string place = "127.0.0.1:" + std::to_string(port);
  const char* const hint = "`--port N` takes another one, `--port 0` any that is free";
  if (errno == EADDRINUSE)
    return Failure{kConflict, "port-in-use", "somebody listens on " + place + " already", hint, {}};
  if (errno == EACCES)
    return Failure{kDenied, "port-not-allowed", "this user may not listen on " + place, hint, {}};
  return Failure{kFailed, "listen-failed", "cannot listen on " + place + ": " + std::strerror(errno), {}, {}};
}

Outcome<bool> PortListener::run(int stop) {
  for (;;) {
    pollfd watched[] = {{stop, POLLIN, 0}, {news_waits_, POLLIN, 0}, {rests_ ? -1 : listens_, POLLIN, 0}};
    const int ready = ::poll(watched, std::size(watched), rests_ ? kRestMs : -1);
    rests_ = false;
    if (ready < 0 && errno != EINTR)
      return Failure{kFailed, "listen-failed", std::string("cannot wait: ") + std::strerror(errno), {}, {}};
    if (ready <= 0) continue;
    if (watched[0].revents != 0) break;
    if (auto failure = take_news()) {
      end_all();
      return std::move(*failure);
    }
    if (watched[2].revents != 0) accept_one();
  }
  end_all();
  return true;
}

void PortListener::accept_one() {
  const int local = ::accept4(listens_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (local < 0) {
    rests_ = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
    if (rests_) note_once(std::string("cannot take a connection: ") + std::strerror(errno));
    return;
  }
  if (connections_.size() >= kConnectionsMax) {
    note_once(std::to_string(kConnectionsMax) +
              " connections are open, and no more are taken: one more was turned away");
    return turn_away(local);
  }
  begin(local);
}

void PortListener::begin(int local) {
  auto socket = aim_.make_socket();
  if (!socket) {
    note_once(socket.failure().message);
    return turn_away(local);
  }
  auto passed = std::make_unique<LocalConnection>(local, std::move(*socket), aim_.target, ends_);
  Connection& connection = connections_.emplace_back();
  connection.thread = std::thread([this, of = &connection, passed = std::move(passed)]() mutable {
    const auto ended = passed->run([this, of] { tell({of, true, std::nullopt}); });
    passed.reset();
    tell({of, false, ended ? std::nullopt : std::optional(ended.failure())});
  });
}

void PortListener::tell(News news) {
  const std::lock_guard lock(mutex_);
  news_.push_back(std::move(news));
  [[maybe_unused]] const auto told = ::eventfd_write(news_waits_, 1);
}

std::optional<Failure> PortListener::take_news() {
  std::vector<News> taken;
  {
    const std::lock_guard lock(mutex_);
    eventfd_t count = 0;
    [[maybe_unused]] const auto read = ::eventfd_read(news_waits_, &count);
    taken.swap(news_);
  }
  std::optional<Failure> last;
  for (auto& news : taken) {
    if (news.heard) {
      noted_.clear();
      continue;
    }
    const auto ended = std::find_if(connections_.begin(), connections_.end(),
                                    [&news](const Connection& one) { return &one == news.of; });
    ended->thread.join();
    connections_.erase(ended);
    if (!news.failure) continue;
    if (is_for_good(*news.failure))
      last = std::move(news.failure);
    else
      note_once(news.failure->code + ": " + news.failure->message +
                (news.failure->hint.empty() ? "" : "; " + news.failure->hint));
  }
  return last;
}

void PortListener::note_once(const std::string& text) {
  if (std::exchange(noted_, text) != text) aim_.note(text);
}

void PortListener::end_all() {
  if (ends_ >= 0) ::eventfd_write(ends_, 1);
  for (auto& connection : connections_) connection.thread.join();
  connections_.clear();
  const std::lock_guard lock(mutex_);
  news_.clear();
}

}  // namespace berth::cli
