// A WebSocket client by hand, for what a well-behaved library would not send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/unit/api/server/http_client.h"

namespace berth::testing {

class WebSocketClient {
 public:
  enum Opcode : std::uint8_t { kMore = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };
  struct Frame {
    std::uint8_t opcode = 0;
    bool last = false;
    std::string payload;
  };

  // Sends the bytes of the request.
  WebSocketClient(std::uint16_t port, const std::string& request);
  // Of the answer, up to its empty line.
  const std::string& head() const { return head_; }

  struct Form {
    bool last = true;
    bool masked = true;
    std::optional<std::uint64_t> announces = std::nullopt;  // another length than that of the payload
    std::uint8_t reserved = 0;                              // the three bits
  };
  bool send(std::uint8_t opcode, std::string_view payload, const Form& form);
  bool send(std::uint8_t opcode, std::string_view payload) { return send(opcode, payload, Form{}); }

  // The next frame; nullopt: the server closed, or 20 s are over.
  std::optional<Frame> frame();
  // The next text or binary message; pings are answered. A close is "close 1000".
  std::string message();
  // What comes of messages until the close; the code of the problem and of the close: "denied 1008".
  std::string end();
  RawClient& tcp() { return client_; }

 private:
  RawClient client_;
  std::string head_;
};

}  // namespace berth::testing
