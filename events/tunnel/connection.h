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
#include <memory>
#include <optional>

#include "events/tunnel/session.h"

namespace berth::tunnel {

struct ConnectionParts {
  std::shared_ptr<Tls> tls;
  std::shared_ptr<Common> common;
  Limits limits;
  std::string peer;  // for people: "agent a1 at 127.0.0.1:7411"
  std::function<void(Question, const std::shared_ptr<StreamState>&)> asked;  // of the server
  std::function<void()> up;                                                  // the key is proved
  std::function<void(const Error&)> over;                                    // last
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
  void shake_hands();
  void handshake();
  void refuse();
  void begin();
  void read();
  void take();
  bool take_some();
  void flush();
  void send(void (Connection::*then)());
  void watch();
  void look();
  Error lost(const std::string& why) const;

  Socket socket_;
  ConnectionParts parts_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  BIO* const coming_;                // of ssl_: records that came and are not whole, or not taken yet
  BIO* const leaving_;               // of ssl_: records that are not with the socket yet
  boost::asio::steady_timer timer_;  // the handshake's limit, then the pings
  std::optional<Session> session_;
  std::chrono::steady_clock::time_point heard_;  // when something came last
  std::chrono::steady_clock::time_point busy_;   // when a stream was open last
  std::array<char, 64u << 10> in_;
  std::string out_;  // being written
  std::string refused_by_;
  bool writing_ = false;
  bool over_ = false;
};

}  // namespace berth::tunnel
