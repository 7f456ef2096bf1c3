#include "ops/cli/http/server_trust.h"

#include <ctime>

#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>

#include "controller/api/auth/certificate.h"
#include "ops/cli/http/transport_errors.h"
#include "ops/cli/output/times.h"

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

std::string text_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "a time that cannot be read";
  return format_time(timegm(&parts) * kSecond);
}

}  // namespace

ServerTrust::ServerTrust(const HttpServer& server)
    : host_(bare_host(server)), port_(server.port), fingerprint_(server.fingerprint), ca_(server.ca) {
  if (!server.tls) return;
  tls_.emplace(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls_->native_handle(), TLS1_2_VERSION);
  tls_->set_verify_mode(fingerprint_.empty() ? asio::ssl::verify_peer : asio::ssl::verify_none);
  if (!fingerprint_.empty()) return;
  const asio::ssl::host_name_verification named(host_);
  tls_->set_verify_callback([this, named](bool good, asio::ssl::verify_context& chain) {
    if (!good) note_dates(chain.native_handle());
    return named(good, chain);
  });
}

// A handshake's error names no time; a wrong clock is only seen beside the times that it was compared with.
void ServerTrust::note_dates(X509_STORE_CTX* chain) {
  const int error = X509_STORE_CTX_get_error(chain);
  const X509* const certificate = X509_STORE_CTX_get_current_cert(chain);
  const bool early = error == X509_V_ERR_CERT_NOT_YET_VALID;
  if (certificate == nullptr || (!early && error != X509_V_ERR_CERT_HAS_EXPIRED)) return;
  dates_ = std::string(" (a certificate is good ") + (early ? "from " : "until ") +
           text_of(early ? X509_get0_notBefore(certificate) : X509_get0_notAfter(certificate)) +
           ", and this machine's clock says " + format_time(std::time(nullptr) * kSecond) + ")";
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
  return untrusted(handshake.message() + dates_);
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
