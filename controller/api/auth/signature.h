// Signed requests: HMAC-SHA256 of what matters of an HTTP request, by the server and by every client. Pure,
// thread-safe.
//
//   string = method \n path?query \n X-Berth-Date \n host \n content type \n X-Berth-Version
//            \n Idempotency-Key \n X-Berth-Content-SHA256
//   key    = HMAC(HMAC(secret, yyyymmdd of that date), host)
//   header = "Authorization: BERTH-HMAC-SHA256 key=ID, signature=HEX"
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/base/clock.h"

namespace berth::controller::api {

inline constexpr std::string_view kSignatureScheme = "BERTH-HMAC-SHA256";
inline constexpr std::string_view kApiVersion = "2";    // of X-Berth-Version: 1 signed no Idempotency-Key
inline constexpr Duration kDateSkewMax = 15 * kMinute;  // either way

// What is signed, each exactly as it is sent. Empty where the header is absent, but for `body_hash`.
struct SignedRequest {
  std::string_view method;  // "POST"
  std::string_view target;  // "/v1/sessions?limit=5"
  std::string_view date;    // X-Berth-Date, "2026-01-01T00:00:00Z"
  std::string_view host;    // "127.0.0.1:7410"
  std::string_view content_type;
  std::string_view version;  // X-Berth-Version
  std::string_view idempotency_key;
  std::string_view body_hash;  // X-Berth-Content-SHA256: sha256_hex() of the body, which may be empty
};

std::string string_to_sign(const SignedRequest& request);

// Lower-case hex, 64 characters. REQUIRES: the date begins with yyyy-mm-dd (is_utc_date).
std::string sign(std::string_view secret_key, const SignedRequest& request);

// "BERTH-HMAC-SHA256 key=ID, signature=HEX"
std::string authorization_header(std::string_view access_key, std::string_view signature);

struct Authorization {
  std::string access_key;
  std::string signature;  // 64 hex digits, lower case
};

// nullopt unless it is exactly that form (white space around the comma may vary).
std::optional<Authorization> parse_authorization(std::string_view header);

// In constant time for a given length.
bool equal_signatures(std::string_view a, std::string_view b);

// Lower-case hex.
std::string sha256_hex(std::string_view bytes);

}  // namespace berth::controller::api
