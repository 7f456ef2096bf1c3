// ServerTrust: whether an https server is the one that is meant, by the fingerprint of its certificate or by
// an authority that vouches for it. For each kind of connection alike; nothing is sent before that is known.
#pragma once

#include <optional>

#include <boost/asio/ssl/context.hpp>

#include "events/base/result.h"
#include "ops/cli/http/http_client.h"

namespace berth::cli {

// Error code: untrusted.
class ServerTrust {
 public:
  explicit ServerTrust(const HttpServer& server);

  // For the connections to the server; null: it speaks plain http.
  boost::asio::ssl::context* tls() { return tls_ ? &*tls_ : nullptr; }
  // Before a handshake.
  std::optional<Error> prepare(SSL& session);
  // How a handshake ended: what TLS says against the server; nullopt if it is not TLS that ended it.
  std::optional<Error> refusal(const boost::system::error_code& handshake) const;
  // After a handshake.
  std::optional<Error> check(const SSL& session) const;

 private:
  std::optional<Error> load();
  Error untrusted(const std::string& why) const;
  void note_dates(X509_STORE_CTX* chain);

  const std::string host_, port_, fingerprint_, ca_;
  bool loaded_ = false;
  std::string dates_;  // what the clock says of a certificate that is not good now; empty: all were
  std::optional<boost::asio::ssl::context> tls_;
};

}  // namespace berth::cli
