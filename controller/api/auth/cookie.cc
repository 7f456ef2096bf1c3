#include "controller/api/auth/cookie.h"

#include "controller/api/auth/base64url.h"
#include "controller/api/auth/trimmed.h"
#include "events/base/hex.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kNameDigits = 8;
constexpr std::string_view kOfThisHost = "__Host-";

// A name of this host alone has Path=/, or browsers refuse it.
std::string attributes_of(std::string_view name) {
  return std::string(name.starts_with(kOfThisHost) ? "; Path=/" : "; Path=/v1") +
         "; HttpOnly; Secure; SameSite=Strict";
}

std::optional<BrowserCookie> parse_cookie(std::string_view value) {
  const auto dot = value.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto bytes = from_hex(value.substr(0, dot));
  const auto id = bytes && !bytes->empty() ? Uuid::from_bytes(*bytes) : std::nullopt;
  const auto secret = from_base64url(value.substr(dot + 1), kCookieSecretBytes);
  if (!id || !secret) return std::nullopt;
  return BrowserCookie{*id, *secret};
}

}  // namespace

std::string cookie_name(const Uuid& cluster) {
  return "berth_" + to_hex(cluster.view()).substr(0, kNameDigits);
}

std::string kept_name(std::string_view name, bool tls) {
  return std::string(tls ? kOfThisHost : "").append(name);
}

std::string cookie_value(const BrowserCookie& cookie) {
  return to_hex(cookie.id.view()) + "." + base64url(cookie.secret);
}

std::vector<std::string_view> values_of_cookie(std::string_view header, std::string_view name,
                                               std::size_t most) {
  std::vector<std::string_view> values;
  while (!header.empty() && values.size() < most) {
    const auto end = header.find(';');
    const std::string_view pair = trimmed(header.substr(0, end));
    header = end == std::string_view::npos ? std::string_view() : header.substr(end + 1);
    if (!pair.starts_with(name) || pair.substr(name.size(), 1) != "=") continue;
    values.push_back(pair.substr(name.size() + 1));
  }
  return values;
}

std::optional<BrowserCookie> find_cookie(std::string_view header, std::string_view name) {
  const auto values = values_of_cookie(header, name, 1);
  return values.empty() ? std::nullopt : parse_cookie(values.front());
}

std::string set_cookie(std::string_view name, const BrowserCookie& cookie, std::int64_t seconds) {
  return std::string(name) + "=" + cookie_value(cookie) + attributes_of(name) +
         "; Max-Age=" + std::to_string(seconds);
}

std::string clear_cookie(std::string_view name) {
  return std::string(name) + "=" + attributes_of(name) + "; Max-Age=0";
}

Hash256 hash_of_cookie(const BrowserCookie& cookie) { return blake2b_256(cookie.secret); }

}  // namespace berth::controller::api
