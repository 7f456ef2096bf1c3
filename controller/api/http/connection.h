// One client's connection; connection.cc is the only file of the API that includes Beast.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "controller/api/http/server.h"

namespace berth::controller::api {

struct ConnectionShared {
  ConnectionShared(const ServerOptions& the_options, Api& the_api) : options(the_options), api(the_api) {}
  const ServerOptions options;
  Api& api;
  std::atomic<std::size_t> open = 0;
};

// Serves requests on the socket until it closes, and keeps itself alive until then. The socket's executor
// must be a strand. `turned_away`: there are too many connections, so the client gets that answer alone.
void serve_connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<ConnectionShared> shared,
                      bool turned_away);

}  // namespace berth::controller::api
