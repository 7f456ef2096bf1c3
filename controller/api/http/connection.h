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

// Serves requests on the socket until it closes. The socket's executor must be a strand. Keeps itself alive.
// `turned_away`: there are too many connections, so it is told so and closed.
void serve_connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<ConnectionShared> shared,
                      bool turned_away);

}  // namespace berth::controller::api
