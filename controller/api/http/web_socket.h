// What follows a reply of status 101: the client's connection speaks WebSocket (RFC 6455) from then on.
#pragma once

#include <memory>

#include "controller/api/http/client_stream.h"
#include "controller/api/http/http.h"
#include "controller/api/http/web_socket_options.h"

namespace berth::controller::api {

// Where a WebSocket speaks: the connection that the request came on. `owner` has the stream, and lives until
// it is closed.
struct WebSocketPlace {
  ClientStream& stream;
  std::shared_ptr<void> owner;
};

// Answers the request, and passes messages between the client and the reply's relay until either ends. The
// stream is closed then. REQUIRES: the request asks for a WebSocket; the stream has no deadline, and nothing
// behind the request was read of it. To be called on its strand.
void serve_web_socket(const WebSocketPlace& place, const ClientRequest& request, HttpReply reply,
                      const WebSocketOptions& options);

}  // namespace berth::controller::api
