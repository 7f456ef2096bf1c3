// One client's connection: its requests one by one, until it closes or speaks WebSocket (web_socket.h).
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <map>
#include <memory>
#include <mutex>

#include "controller/api/http/connection_counts.h"
#include "controller/api/http/server.h"

namespace berth::controller::api {

class AnyConnection {
 public:
  virtual ~AnyConnection() = default;
  virtual void close() = 0;
};

struct ConnectionShared {
  ConnectionShared(const ServerOptions& the_options, Api& the_api)
      : options(the_options),
        api(the_api),
        counts(options.connections_max, options.connections_per_address_max) {}
  const ServerOptions options;
  Api& api;
  std::unique_ptr<boost::asio::ssl::context> tls;  // null: plain HTTP
  ConnectionCounts counts;
  std::atomic<std::size_t> turned_away = 0;  // that are being told so

  void add(const std::shared_ptr<AnyConnection>& connection);
  void remove(const AnyConnection* connection);
  // Those that are open. Where no thread runs their handlers.
  void close_all();

 private:
  std::mutex mutex_;
  std::map<const AnyConnection*, std::weak_ptr<AnyConnection>> open_;  // guarded
};

// Serves requests on the socket until it closes, and keeps itself alive until then. A client that is one too
// many gets that reply alone, or none if many others are being told. The socket's executor must be a strand.
void serve_connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<ConnectionShared> shared);

}  // namespace berth::controller::api
