#include "controller/api/auth/signature.h"

#include <sodium.h>

#include "controller/api/auth/trimmed.h"

#include "events/base/checks.h"
#include "events/base/files/sha256.h"
#include "events/base/hash.h"

namespace berth::controller::api {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  std::array<std::uint8_t, crypto_auth_hmacsha256_BYTES> mac;
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, bytes_of(key), key.size());
  crypto_auth_hmacsha256_update(&state, bytes_of(message), message.size());
  crypto_auth_hmacsha256_final(&state, mac.data());
  sodium_memzero(&state, sizeof state);
  return std::string(as_view(mac));
}

std::string day_of(std::string_view date) {
  BERTH_CHECK(date.size() >= 10, "the date to sign has no day");
  std::string day(date.substr(0, 4));
  day += date.substr(5, 2);
  day += date.substr(8, 2);
  return day;
}

bool is_access_key(std::string_view key) {
  if (key.empty() || key.size() > 128) return false;
  for (const char c : key)
    if (c <= ' ' || c > '~' || c == ',' || c == '"') return false;
  return true;
}

bool is_signature(std::string_view text) {
  if (text.size() != 2 * crypto_auth_hmacsha256_BYTES) return false;
  for (const char c : text)
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  return true;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return to_hex(hash.value());
}

std::string string_to_sign(const SignedRequest& request) {
  std::string text;
  for (const std::string_view part : {request.method, request.target, request.date, request.host,
                                      request.content_type, request.version, request.idempotency_key}) {
    text += part;
    text += '\n';
  }
  return text += request.body_hash;
}

std::string sign(std::string_view secret_key, const SignedRequest& request) {
  const std::string key = hmac_sha256(hmac_sha256(secret_key, day_of(request.date)), request.host);
  return to_hex(hmac_sha256(key, string_to_sign(request)));
}

std::string authorization_header(std::string_view access_key, std::string_view signature) {
  return std::string(kSignatureScheme) + " key=" + std::string(access_key) +
         ", signature=" + std::string(signature);
}

std::optional<Authorization> parse_authorization(std::string_view header) {
  header = trimmed(header);
  if (!header.starts_with(kSignatureScheme)) return std::nullopt;
  header.remove_prefix(kSignatureScheme.size());
  if (header.empty() || (header.front() != ' ' && header.front() != '\t')) return std::nullopt;
  const auto comma = header.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view key = trimmed(header.substr(0, comma)), signature = trimmed(header.substr(comma + 1));
  if (!key.starts_with("key=") || !signature.starts_with("signature=")) return std::nullopt;
  key.remove_prefix(4);
  signature.remove_prefix(10);
  if (!is_access_key(key) || !is_signature(signature)) return std::nullopt;
  return Authorization{std::string(key), std::string(signature)};
}

bool equal_signatures(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace berth::controller::api
