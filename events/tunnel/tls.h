// TLS 1.3 with the agent's enrolled key as external PSK, and with forward secrecy (psk_dhe_ke). No
// certificate: who does not hold the key of this agent, generation and cluster gets through no handshake, on
// either side. Internal to the tunnel.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "events/base/result.h"
#include "events/codec/signing.h"

namespace berth::tunnel {

inline constexpr std::size_t kTlsRecordBytes = 16u << 10;

enum class Role { kClient, kServer };

// Immutable; outlives the streams that are made from it.
class Tls {
 public:
  // `agent`: signer of the agent itself (writer "agent:NAME"), on both sides.
  Tls(const Signer& agent, Role role);
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  Role role() const { return role_; }
  boost::asio::ssl::context& context() { return context_; }
  // After the handshake: it was done with the key. (Else a certificate would have been taken for it.)
  static bool proved(SSL* ssl) { return SSL_session_reused(ssl) == 1; }

 private:
  static const Tls& of(SSL* ssl);
  static int offer(SSL* ssl, const EVP_MD* digest, const unsigned char** identity, std::size_t* size,
                   SSL_SESSION** session);
  static int find(SSL* ssl, const unsigned char* identity, std::size_t size, SSL_SESSION** session);
  SSL_SESSION* make_session(SSL* ssl) const;

  Role role_;
  std::string identity_;  // "berth-tunnel-1 CLUSTER agent:NAME/GENERATION"
  std::string key_;       // 32 bytes
  boost::asio::ssl::context context_;
};

}  // namespace berth::tunnel
