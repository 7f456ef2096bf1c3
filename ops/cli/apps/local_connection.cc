#include "ops/cli/apps/local_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <variant>

#include "ops/cli/session/inside_open.h"
#include "ops/cli/session/inside_talk.h"

namespace berth::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kAskMax{5};
constexpr std::chrono::seconds kLookEvery{15};  // whether a program that said all is still there
constexpr std::chrono::seconds kGoodbyeLocalMax{2};

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

LocalConnection::LocalConnection(int local, SignedSocket socket, std::string target, int stop)
    : local_(local), socket_(std::move(socket)), target_(std::move(target)), stop_(stop) {
  // A program that has ended is noticed though it had said all before.
  const int on = 1, idle_s = 60;
  ::setsockopt(local_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(local_, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(local_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

LocalConnection::~LocalConnection() { ::close(local_); }

Outcome<bool> LocalConnection::run(const std::function<void()>& heard) {
  Way way = open();
  if (way == Way::kGoesOn) way = pass(heard);
  if (way == Way::kWhole) way = finish();
  if (way != Way::kWhole) reset_local();
  socket_.socket->close();
  if (way == Way::kFailed) return std::move(failure_);
  return true;
}

LocalConnection::Way LocalConnection::open() {
  const auto until = Clock::now() + kPatience;
  for (int attempt = 0;; ++attempt) {
    if (is_stopped()) return Way::kStopped;
    const auto opened = connect_inside(*socket_.socket, socket_.sign, target_, Clock::now() + kAskMax);
    if (opened) return Way::kGoesOn;
    const auto next = Clock::now() + pause_before_attempt(attempt);
    const bool waits = is_passing(opened.failure()) && opened.failure().code != "port-not-open";
    if (!waits || next >= until) return fail(opened.failure());
    std::vector<Watch> watches{{stop_, false, false}};
    while (!is_stopped() && Clock::now() < next) socket_.socket->wait(watches, false, next);
    if (is_local_gone()) return Way::kGone;
  }
}

LocalConnection::Way LocalConnection::pass(const std::function<void()>& heard) {
  for (bool told = false;;) {
    std::vector<Watch> watches{{stop_, false, false}};
    const bool reads = !local_said_all_ && socket_.socket->unsent() < kAheadMax;
    if (reads) watches.push_back({local_, false, false});
    if (!unwritten_.empty()) watches.push_back({local_, true, false});
    auto woken = socket_.socket->wait(watches, unwritten_.size() < kBehindMax, Clock::now() + kLookEvery);
    Way way = is_stopped() ? Way::kStopped : Way::kGoesOn;
    for (const Watch& watch : watches)
      if (way == Way::kGoesOn && watch.ready && watch.descriptor == local_)
        way = watch.to_write ? write_local() : read_local();
    if (woken.message && woken.message->binary && !std::exchange(told, true)) heard();
    if (way == Way::kGoesOn && woken.message) way = take(std::move(*woken.message));
    if (way == Way::kGoesOn && woken.end) way = take_end(*woken.end);
    if (way == Way::kGoesOn && local_said_all_ && app_said_all_ && unwritten_.empty()) way = Way::kWhole;
    if (way == Way::kGoesOn && !reads && is_local_gone()) way = Way::kGone;
    if (way != Way::kGoesOn) return way;
  }
}

LocalConnection::Way LocalConnection::read_local() {
  std::string bytes(kPieceMax, '\0');
  const ssize_t got = ::recv(local_, bytes.data(), bytes.size(), 0);
  if (got < 0) return would_block() ? Way::kGoesOn : Way::kGone;
  if (got == 0) {
    local_said_all_ = true;
    socket_.socket->send(end_of_input_message());
    return Way::kGoesOn;
  }
  bytes.resize(static_cast<std::size_t>(got));
  socket_.socket->send({true, std::move(bytes)});
  return Way::kGoesOn;
}

LocalConnection::Way LocalConnection::write_local() {
  while (!unwritten_.empty()) {
    const ssize_t wrote = ::send(local_, unwritten_.data(), unwritten_.size(), MSG_NOSIGNAL);
    if (wrote < 0) return would_block() ? Way::kGoesOn : Way::kGone;
    unwritten_.erase(0, static_cast<std::size_t>(wrote));
  }
  if (app_said_all_) ::shutdown(local_, SHUT_WR);
  return Way::kGoesOn;
}

LocalConnection::Way LocalConnection::take(SocketMessage message) {
  if (message.binary) {
    unwritten_ += message.bytes;
    return write_local();
  }
  if (message.bytes == end_of_input_message().bytes) {
    app_said_all_ = true;
    return write_local();
  }
  auto heard = heard_in(std::move(message));
  if (!heard) return fail(heard.failure());
  if (auto* problem = std::get_if<Failure>(&*heard)) return fail(std::move(*problem));
  return Way::kGoesOn;
}

LocalConnection::Way LocalConnection::take_end(const SocketEnd& end) {
  constexpr std::uint16_t kNormal = 1000;
  if (end.code == kNormal) return Way::kWhole;
  return fail({kUnreachable,
               "connection-lost",
               "a connection was lost: " +
                   (end.reason.empty() ? "closed with code " + std::to_string(end.code) : end.reason),
               "a new one goes through once the server is back",
               {}});
}

// The rest is written, and the program hears that it was all.
LocalConnection::Way LocalConnection::finish() {
  while (!unwritten_.empty()) {
    std::vector<Watch> watches{{stop_, false, false}, {local_, true, false}};
    socket_.socket->wait(watches, false, Clock::now() + kLookEvery);
    if (is_stopped()) return Way::kStopped;
    if (write_local() == Way::kGone) return Way::kGone;
  }
  ::shutdown(local_, SHUT_WR);
  // With bytes of its own that nobody took, closing would take back what it has not read yet.
  const auto until = Clock::now() + kGoodbyeLocalMax;
  while (!local_said_all_ && !is_stopped() && Clock::now() < until) {
    std::vector<Watch> watches{{stop_, false, false}, {local_, false, false}};
    socket_.socket->wait(watches, false, until);
    char bytes[4096];
    const ssize_t got = ::recv(local_, bytes, sizeof bytes, 0);
    if (got == 0 || (got < 0 && !would_block())) break;
  }
  return Way::kWhole;
}

bool LocalConnection::is_stopped() const {
  pollfd stop{stop_, POLLIN, 0};
  return ::poll(&stop, 1, 0) == 1;
}

bool LocalConnection::is_local_gone() const {
  pollfd local{local_, 0, 0};
  return ::poll(&local, 1, 0) == 1 && (local.revents & (POLLERR | POLLHUP)) != 0;
}

LocalConnection::Way LocalConnection::fail(Failure failure) {
  failure_ = std::move(failure);
  return Way::kFailed;
}

void LocalConnection::reset_local() {
  const linger at_once{1, 0};
  ::setsockopt(local_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace berth::cli
