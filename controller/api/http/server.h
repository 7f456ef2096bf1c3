// Server: the API's sockets. HTTP/1.1 on one address, a few I/O threads, and a limit on everything that a
// client can do.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "controller/api/api.h"
#include "controller/api/auth/certificate.h"
#include "controller/api/http/io_threads.h"
#include "controller/api/http/web_socket_options.h"

namespace berth::controller::api {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7410;                        // 0: any free one
  std::optional<CertificateFiles> tls;              // absent: plain HTTP
  int io_threads = 2;                               // of a server that has threads of its own
  std::size_t connections_max = 4'096;              // REQUIRES: this and the next at least 1
  std::size_t connections_per_address_max = 1'024;  // an IPv4 address, or an IPv6 network of 64 bits
  std::size_t body_bytes_max = 1u << 20;
  std::uint32_t header_bytes_max = 16u << 10;
  std::size_t target_bytes_max = 8u << 10;
  std::chrono::seconds header{10};  // for a request's header; a new connection must send one at once
  std::chrono::seconds idle{75};    // between requests of a kept connection
  std::chrono::seconds body{30};    // for a body, after its header
  std::chrono::seconds write{30};   // for a client to take a reply
  WebSocketOptions web_socket;
  std::chrono::seconds app_silence{15 * 60};  // of a client and an app that say nothing to each other
  std::chrono::milliseconds goodbye{1'000};   // at a stop, for the clients of WebSockets to be told so
};

class Server {
 public:
  // `api` is started already and must outlive the server, as must `io`; without that the server has threads
  // of its own. Codes: port-in-use, address-invalid, tls-invalid.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Api& api,
                                               IoThreads* io = nullptr);
  ~Server();

  std::uint16_t port() const;
  // Tells the clients of WebSockets, stops the threads, closes everything and stops the API too, so that the
  // API replies into no closed socket. REQUIRES: what answers for others (agents' channels) calls no reply
  // afterwards: its threads are those of `io`, or have ended. Idempotent.
  void stop();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::controller::api
