#include "ops/cli/http/server_trust.h"

#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>

#include "controller/api/auth/certificate.h"
#include "ops/cli/http/transport_errors.h"

namespace berth::cli {
namespace {

namespace asio = boost::asio;

std::string fingerprint_of(const SSL& tls) {
  X509* const certificate = SSL_get1_peer_certificate(&tls);
  unsigned char* der = nullptr;
  const int size = certificate == nullptr ? -1 : i2d_X509(certificate, &der);
  X509_free(certificate);
  if (size < 0) return {};
  const std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return controller::api::fingerprint_of(text);
}

}  // namespace

ServerTrust::ServerTrust(const HttpServer& server)
    : host_(bare_host(server)), port_(server.port), fingerprint_(server.fingerprint), ca_(server.ca) {
  if (!server.tls) return;
  tls_.emplace(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls_->native_handle(), TLS1_2_VERSION);
  tls_->set_verify_mode(fingerprint_.empty() ? asio::ssl::verify_peer : asio::ssl::verify_none);
  if (fingerprint_.empty()) tls_->set_verify_callback(asio::ssl::host_name_verification(host_));
}

std::optional<Error> ServerTrust::prepare(SSL& session) {
  if (auto error = load()) return error;
  SSL_set_tlsext_host_name(&session, host_.c_str());
  return std::nullopt;
}

// Once: who vouches for the server.
std::optional<Error> ServerTrust::load() {
  if (loaded_ || !fingerprint_.empty()) return std::nullopt;
  boost::system::error_code code;
  if (ca_.empty())
    tls_->set_default_verify_paths(code);
  else
    tls_->load_verify_file(ca_, code);
  if (code) return make_error(kUntrustedCode, ca_ + ": " + code.message(), "--ca takes a file in PEM");
  loaded_ = true;
  return std::nullopt;
}

std::optional<Error> ServerTrust::refusal(const boost::system::error_code& handshake) const {
  if (!handshake || handshake.category() != asio::error::get_ssl_category()) return std::nullopt;
  if (ERR_GET_REASON(static_cast<unsigned long>(handshake.value())) == SSL_R_WRONG_VERSION_NUMBER)
    return make_error(kUntrustedCode, host_ + ":" + port_ + " does not speak https",
                      "write http://" + host_ + ":" + port_ + " if it is a Berth without --tls");
  return untrusted(handshake.message());
}

std::optional<Error> ServerTrust::check(const SSL& session) const {
  if (fingerprint_.empty()) return std::nullopt;
  const std::string is = fingerprint_of(session);
  if (is == fingerprint_) return std::nullopt;
  return untrusted("its fingerprint is " + is + ", not " + fingerprint_);
}

Error ServerTrust::untrusted(const std::string& why) const {
  return make_error(
      kUntrustedCode, "the certificate of " + host_ + ":" + port_ + " is not to be trusted: " + why,
      "the server prints its fingerprint when it starts: --fingerprint sha256:..., or --ca FILE");
}

}  // namespace berth::cli
