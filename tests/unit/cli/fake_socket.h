// Servers of WebSockets that are lists of what they say; descriptors are real ones.
#pragma once

#include <poll.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ops/cli/http/transport_errors.h"
#include "ops/cli/http/web_socket.h"

namespace berth::cli {

inline SocketMessage text(std::string bytes) { return {false, std::move(bytes)}; }
inline SocketMessage of_stdout(const std::string& bytes) { return {true, "\x01" + bytes}; }
inline SocketMessage of_stderr(const std::string& bytes) { return {true, "\x02" + bytes}; }

struct FakeSockets;
// What comes next is held until it holds.
using Until = std::function<bool(const FakeSockets&)>;
using Said = std::variant<SocketMessage, SocketEnd, Until>;

// One answer to connect().
struct FakeConnection {
  Result<HttpReply> reply = HttpReply{101, {{"sec-websocket-protocol", "berth.session.v1"}}, {}};
  std::deque<Said> says;
};

struct FakeSockets {
  std::deque<FakeConnection> connections;  // none left: unreachable
  std::vector<HttpRequest> asked;
  std::vector<SocketMessage> heard;
  int closed = 0;
  std::size_t unsent = 0;  // what send() does not get rid of

  // The bytes that were typed or piped in.
  std::string typed() const {
    std::string bytes;
    for (const auto& message : heard)
      if (message.binary) bytes += message.bytes;
    return bytes;
  }
  bool was_told(const std::string& words) const {
    for (const auto& message : heard)
      if (!message.binary && message.bytes == words) return true;
    return false;
  }
};

class FakeSocket final : public WebSocket {
 public:
  explicit FakeSocket(FakeSockets& sockets) : sockets_(sockets) {}

  Result<HttpReply> connect(const HttpRequest& request, Deadline) override {
    sockets_.asked.push_back(request);
    open_.reset();
    if (sockets_.connections.empty()) return unreachable_error("127.0.0.1", "7410", "refused");
    FakeConnection next = std::move(sockets_.connections.front());
    sockets_.connections.pop_front();
    if (next.reply && next.reply->status == 101) open_ = next.says;
    return next.reply;
  }
  void send(SocketMessage message) override { sockets_.heard.push_back(std::move(message)); }
  std::size_t unsent() const override { return sockets_.unsent; }

  // A script that is over, or that waits for what never comes, is an end after five seconds.
  Woken wait(std::vector<Watch>& watches, bool messages, Deadline deadline) override {
    Woken woken;
    const bool says = open_ && messages && is_due();
    const bool bounded = deadline < std::chrono::steady_clock::now() + std::chrono::seconds(5);
    const bool ready = poll_all(watches, says ? 0 : bounded ? left_ms(deadline) : 5'000);
    if (says) {
      if (auto* message = std::get_if<SocketMessage>(&open_->front()))
        woken.message = std::move(*message);
      else
        woken.end = std::get<SocketEnd>(open_->front());
      open_->pop_front();
    } else if (open_ && messages && !ready && !bounded) {
      woken.end = SocketEnd{1000, "the script is over"};
    }
    return woken;
  }
  void close() override { ++sockets_.closed, open_.reset(); }

 private:
  static int left_ms(Deadline deadline) {
    const auto left = deadline - std::chrono::steady_clock::now();
    return static_cast<int>(std::max<long>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
  }
  bool is_due() {
    while (!open_->empty() && std::holds_alternative<Until>(open_->front())) {
      if (!std::get<Until>(open_->front())(sockets_)) return false;
      open_->pop_front();
    }
    return !open_->empty();
  }
  static bool poll_all(std::vector<Watch>& watches, int patience_ms) {
    std::vector<pollfd> polled;
    for (const Watch& watch : watches)
      polled.push_back({watch.descriptor, static_cast<short>(watch.to_write ? POLLOUT : POLLIN), 0});
    const bool any = ::poll(polled.data(), polled.size(), patience_ms) > 0;
    for (std::size_t i = 0; i < watches.size(); ++i) watches[i].ready = any && polled[i].revents != 0;
    return any;
  }

  FakeSockets& sockets_;
  std::optional<std::deque<Said>> open_;
};

}  // namespace berth::cli
