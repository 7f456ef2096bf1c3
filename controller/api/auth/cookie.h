// The cookie of a browser session: its id and a secret, of which the journal has the hash. Thread-safe.
//
//   berth_1a2b3c4d=HEX(id, 16 bytes).BASE64URL(secret, 32 bytes)
//
// The name begins the cluster's id, so that the cookies of two clusters on one host do not replace each
// other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/hash.h"
#include "events/base/uuid.h"

namespace berth::controller::api {

inline constexpr std::size_t kCookieSecretBytes = 32;

struct BrowserCookie {
  Uuid id;
  std::string secret;  // kCookieSecretBytes
};

std::string cookie_name(const Uuid& cluster);
std::string cookie_value(const BrowserCookie& cookie);

// The name under which a browser keeps a cookie of ours. With TLS it is one that browsers take from this very
// host alone: a page of a host below it, such as an app's, cannot set it with Domain=. Without TLS browsers
// know no such names; those of loopback, where apps are below localhost, take no cookie for localhost as a
// domain.
std::string kept_name(std::string_view name, bool tls);

// What a Cookie header has for that name, in its order, at most so many; they live as long as the header.
std::vector<std::string_view> values_of_cookie(std::string_view header, std::string_view name,
                                               std::size_t most);

// The cookie of that name in a Cookie header; nullopt if there is none of that form. Of several, the first.
std::optional<BrowserCookie> find_cookie(std::string_view header, std::string_view name);

// Values of a Set-Cookie header: for the API alone, out of reach of scripts and of other sites.
std::string set_cookie(std::string_view name, const BrowserCookie& cookie, std::int64_t seconds);
std::string clear_cookie(std::string_view name);

// As the journal has it.
Hash256 hash_of_cookie(const BrowserCookie& cookie);

}  // namespace berth::controller::api
