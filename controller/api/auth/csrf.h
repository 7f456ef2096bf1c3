// The CSRF token of a browser session: what a page of this origin knows and another site's page does not. It
// follows from the cookie's secret, so nothing has to be kept.
#pragma once

#include <string>

#include "controller/api/auth/base64url.h"
#include "events/base/hash.h"

namespace berth::controller::api {

// Of X-Berth-CSRF. REQUIRES: a cookie's secret.
inline std::string csrf_token(std::string_view cookie_secret) {
  return base64url(as_view(blake2b_256(cookie_secret, "csrf")));
}

}  // namespace berth::controller::api
