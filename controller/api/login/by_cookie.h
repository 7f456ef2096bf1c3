// Whom the cookie of a request signs in, and what a browser's page may ask. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "controller/api/login/sign_in.h"
#include "controller/api/routes/call.h"
#include "projections/password_mark.h"

namespace berth::controller::api {

// Host and Sec-Fetch-Site; of a write its Origin, too. Codes: misdirected-request, foreign-origin.
std::optional<Problem> check_page(const SignIn& sign_in, const HttpRequest& request, bool writes);

// Fills the call's caller and cookie. A use that is worth an event is recorded; a stream and what a page asks
// by itself (X-Berth-Background) is none. Codes: those of check_page(), signed-out, csrf-missing, csrf-wrong.
std::optional<Problem> authenticate_by_cookie(const Services& services, Call& call,
                                              const BrowserCookie& cookie);

// The password that a user signs in with; nullopt for nobody's, none, and that of a user who is disabled.
struct KnownPassword {
  std::string hash;                // opened
  projections::PasswordMark mark;  // of password_mark()
};
std::optional<KnownPassword> find_password(ApiContext& context, const std::string& user);

// A use of a browser session, if it is worth an event; `recorded`: the last one that the state knows. Nobody
// waits for an answer.
void record_use_of_browser(const Services& services, const Uuid& browser_session, Timestamp recorded);
// Asks for it without waiting for an answer.
void record_use_of_key(ApiContext& context, const std::string& key);

}  // namespace berth::controller::api
