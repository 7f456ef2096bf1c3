// WebSocket: the interface to one (RFC 6455), and to all that is awaited beside it. web_socket.cc implements
// it with Beast, tests with a fake.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/cli/http/http_client.h"
#include "ops/cli/http/transport.h"

namespace berth::cli {

struct SocketMessage {
  bool binary = false;
  std::string bytes;
};

// There is nothing more to come.
struct SocketEnd {
  std::uint16_t code = 0;  // why the server closed it; 0: the connection broke
  std::string reason;
};

// A descriptor that is awaited; it stays as it is, blocking or not.
struct Watch {
  int descriptor = -1;
  bool to_write = false;
  bool ready = false;  // an answer: a read or a write would not block, or would fail
};

struct Woken {
  std::optional<SocketMessage> message;
  std::optional<SocketEnd> end;
};

// One thread at a time. Descriptors and the socket are awaited by one wait(), so that none waits for another.
class WebSocket {
 public:
  using Deadline = Transport::Deadline;
  static constexpr std::size_t kMessageMax = 1 << 20;     // bytes of one that comes
  static constexpr std::chrono::seconds kSilenceMax{45};  // a server pings every 15 s

  virtual ~WebSocket() = default;

  // Asks for the switch; `request` is complete, and signed as any. Status 101: it is open. Any other reply is
  // a refusal, whole. One that was open before is dropped. Error codes: unreachable, reply-timeout,
  // untrusted.
  virtual Result<HttpReply> connect(const HttpRequest& request, Deadline deadline) = 0;

  // Sends it when what is before it was sent. REQUIRES: connect() succeeded.
  virtual void send(SocketMessage message) = 0;
  // Bytes that send() took and the network did not.
  virtual std::size_t unsent() const = 0;

  // Waits until a descriptor is ready, some of what is unsent was sent, the deadline passes, or a message or
  // the end came. `messages`: they are wanted; else the server waits with them, and the end is not seen.
  // Without a connection it waits for descriptors and deadline alone.
  virtual Woken wait(std::vector<Watch>& watches, bool messages, Deadline deadline) = 0;

  // Says that it ends (1000), and waits a second at most for the server to hear that.
  virtual void close() = 0;
};

std::unique_ptr<WebSocket> make_web_socket(const HttpServer& server);

}  // namespace berth::cli
