// The link by which a user sets a password: the console reads its token behind '#', which no server is sent.
#pragma once

#include <string>

#include "controller/api/auth/base64url.h"
#include "events/base/secrets.h"

namespace berth::controller::api {

inline constexpr char kLinkPath[] = "/#/link/";

inline std::string new_link_token() { return base64url(random_bytes(32)); }

// `origin` as in "http://127.0.0.1:7450".
inline std::string link_of_token(const std::string& origin, const std::string& token) {
  return origin + kLinkPath + token;
}

// The token in a text with a link; empty if there is none.
inline std::string token_in_link(const std::string& text) {
  const auto at = text.find(kLinkPath);
  if (at == std::string::npos) return {};
  const auto begin = at + sizeof(kLinkPath) - 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace berth::controller::api
