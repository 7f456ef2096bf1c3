// Connection: one TCP connection with TLS and HTTP/2 on it, of either side, from connecting to its end.
//
// OpenSSL works on memory here, and not on the socket by Asio's ssl::stream: that one reads and writes a
// record of 16 KiB at a time, and here one system call moves as many as there are (ops/adr/0080).
//
// It lives as long as an operation of it is under way, which is until end(). Everything on its strand.
// Internal to the tunnel.
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "events/tunnel/session.h"
#include "events/tunnel/tls_memory.h"

namespace berth::tunnel {

struct ConnectionParts {
  std::shared_ptr<Tls> tls;
  std::shared_ptr<Common> common;
  Limits limits;
  std::string peer;  // for people: "agent a1 at 127.0.0.1:7411"
  std::function<void(Question, const std::shared_ptr<StreamState>&)> asked;    // of the server
  std::function<void(const std::shared_ptr<StreamState>&, Question)> unasked;  // of the client: Session's
  std::function<void()> up;                                                    // the key is proved
  std::function<void(const Error&)> over;                                      // last
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;

  Connection(Socket socket, ConnectionParts parts);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Either begins it. The client's, and the server's with an accepted socket.
  void connect(const boost::asio::ip::tcp::endpoint& to);
  void accept();
  // Tells every stream, then `over`. Idempotent.
  void end(const Error& error);

  Strand strand() { return socket_.get_executor(); }
  // Null until it is up, and once it is over.
  Session* session() { return session_ && !over_ ? &*session_ : nullptr; }

 private:
  void set_deadline();
  void begin_handshake();
  void go_on_with_handshake();
  void refuse(const std::string& why);
  void begin();
  void read();
  void take();
  bool take_some();
  void flush_soon();
  void flush();
  bool seal();
  template <class Then> void send(Then then);
  void watch();
  void look();
  Error lost(const std::string& why) const;

  Socket socket_;
  ConnectionParts parts_;
  TlsMemory memory_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  boost::asio::steady_timer timer_;  // the handshake's limit, then the pings
  std::optional<Session> session_;
  std::chrono::steady_clock::time_point heard_;  // when something came last
  std::chrono::steady_clock::time_point busy_;   // when a stream was open last
  std::array<char, 128u << 10> in_;
  std::string plain_;  // of HTTP/2, before TLS; keeps its memory
  std::string out_;    // being written
  bool writing_ = false;
  bool flush_due_ = false;
  bool over_ = false;
};

}  // namespace berth::tunnel
