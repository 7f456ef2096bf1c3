#include "events/tunnel/tls.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/ssl.h>

#include <memory>

namespace berth::tunnel {
namespace {

using boost::asio::ssl::context;

constexpr char kLabel[] = "berth-tunnel-1";  // another one makes another key: two versions never talk

std::string identity_of(const Signer& agent) {
  return std::string(kLabel) + " " + to_string(agent.cluster()) + " " + agent.writer() + "/" +
         std::to_string(agent.generation());
}

OSSL_PARAM octets(const char* name, std::string_view bytes) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(bytes.data()), bytes.size());
}

// HKDF-SHA256 (RFC 5869): the salt is the cluster's id, the info is the identity.
std::string derive(std::string_view key, std::string_view salt, std::string_view info) {
  const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> hkdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr),
                                                               &EVP_KDF_free);
  const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> use(EVP_KDF_CTX_new(hkdf.get()),
                                                                      &EVP_KDF_CTX_free);
  char digest[] = "SHA256";
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                               octets(OSSL_KDF_PARAM_KEY, key), octets(OSSL_KDF_PARAM_SALT, salt),
                               octets(OSSL_KDF_PARAM_INFO, info), OSSL_PARAM_construct_end()};
  std::string derived(32, '\0');
  const int done =
      EVP_KDF_derive(use.get(), reinterpret_cast<unsigned char*>(derived.data()), derived.size(), params);
  BERTH_CHECK(done == 1, "OpenSSL derives no key by HKDF-SHA256");
  return derived;
}

// Where a context keeps its Tls: Asio uses the usual place.
int own_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

Tls::Tls(const Signer& agent, Role role)
    : role_(role),
      identity_(identity_of(agent)),
      key_(derive(agent.key(), agent.cluster().view(), identity_)),
      context_(role == Role::kClient ? context::tls_client : context::tls_server) {
  SSL_CTX* const native = context_.native_handle();
  const bool set = SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION) == 1 &&
                   SSL_CTX_set_max_proto_version(native, TLS1_3_VERSION) == 1 &&
                   SSL_CTX_set_ciphersuites(native, "TLS_AES_128_GCM_SHA256") == 1 &&
                   SSL_CTX_set_ex_data(native, own_index(), this) == 1;
  BERTH_CHECK(set, "OpenSSL has no TLS 1.3 with AES-128-GCM");
  // Each connection proves the key anew: no tickets, no sessions kept.
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  if (role == Role::kClient) {
    SSL_CTX_set_verify(native, SSL_VERIFY_PEER, nullptr);  // no issuer is trusted, so no certificate passes
    SSL_CTX_set_psk_use_session_callback(native, &Tls::offer);
  } else {
    SSL_CTX_set_psk_find_session_callback(native, &Tls::find);
  }
}

const Tls& Tls::of(SSL* ssl) {
  return *static_cast<const Tls*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), own_index()));
}

SSL_SESSION* Tls::make_session(SSL* ssl) const {
  static constexpr unsigned char kAes128GcmSha256[] = {0x13, 0x01};
  std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)> session(SSL_SESSION_new(), &SSL_SESSION_free);
  const bool made =
      session != nullptr &&
      SSL_SESSION_set1_master_key(session.get(), reinterpret_cast<const unsigned char*>(key_.data()),
                                  key_.size()) == 1 &&
      SSL_SESSION_set_cipher(session.get(), SSL_CIPHER_find(ssl, kAes128GcmSha256)) == 1 &&
      SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) == 1;
  return made ? session.release() : nullptr;
}

int Tls::offer(SSL* ssl, const EVP_MD* digest, const unsigned char** identity, std::size_t* size,
               SSL_SESSION** session) {
  const Tls& tls = of(ssl);
  *session = nullptr;
  if (digest != nullptr && EVP_MD_get_type(digest) != NID_sha256) return 1;  // none to offer: no handshake
  *identity = reinterpret_cast<const unsigned char*>(tls.identity_.data());
  *size = tls.identity_.size();
  *session = tls.make_session(ssl);
  return *session != nullptr ? 1 : 0;
}

int Tls::find(SSL* ssl, const unsigned char* identity, std::size_t size, SSL_SESSION** session) {
  const Tls& tls = of(ssl);
  *session = nullptr;
  if (std::string_view(reinterpret_cast<const char*>(identity), size) != tls.identity_)
    return 1;  // unknown, and without a certificate there is no other way
  *session = tls.make_session(ssl);
  return *session != nullptr ? 1 : 0;
}

}  // namespace berth::tunnel
