// How long a WebSocket waits for its client.
#pragma once

#include <chrono>

namespace berth::controller::api {

struct WebSocketOptions {
  std::chrono::milliseconds handshake{30'000};  // for the client to take the reply, or to answer a close
  std::chrono::milliseconds ping{15'000};
  std::chrono::milliseconds silence{45'000};  // a client that is heard of no more is gone
  std::chrono::milliseconds stall{60'000};    // for the client to take one message; then the relay is told
  std::chrono::milliseconds linger{5'000};    // for the client to take the last messages and the close
};

}  // namespace berth::controller::api
