// SignIn: what signing in needs besides the journal.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "controller/api/auth/cookie.h"
#include "controller/api/auth/last_use.h"
#include "controller/api/auth/login_guard.h"
#include "controller/api/auth/origin.h"
#include "controller/api/auth/password.h"
#include "controller/api/http/http.h"

namespace berth::controller::api {

struct SignInOptions {
  std::vector<std::string> origins;          // of origin_of_url(), the one for links first
  std::string app_origin;                    // below which apps have names; empty: none but localhost
  std::vector<std::string> trusted_proxies;  // addresses whose X-Forwarded-* count
  Duration idle = 12 * kHour;                // a browser session that nobody used for so long has ended
  Duration lifetime = 14 * kDay;             // of a browser session, whatever its use
  Duration use_every = 5 * kMinute;          // last uses are recorded no more often
  PasswordCost password_cost;
  std::size_t passwords_queued_max = 32;
  LoginGuard::Limits guard;
  std::function<void(const std::string& line)> security_log = [](const std::string&) {};
};

// Thread-safe.
struct SignIn {
  SignIn(SignInOptions the_options, std::string the_cookie)
      : options(std::move(the_options)),
        cookie(std::move(the_cookie)),
        names(options.origins),
        guard(options.guard),
        last_use(options.use_every),
        passwords(options.password_cost, options.passwords_queued_max) {}

  bool is_proxied(const HttpRequest& request) const {
    return std::find(options.trusted_proxies.begin(), options.trusted_proxies.end(), request.address) !=
           options.trusted_proxies.end();
  }
  // What a trusted proxy says of its client counts; what anybody else says does not.
  Provenance provenance_of(const HttpRequest& request) const {
    const bool told = is_proxied(request) && !request.forwarded_host.empty();
    return {told ? request.forwarded_host : request.host, request.origin, request.sec_fetch_site,
            request.port};
  }
  std::string client_of(const HttpRequest& request) const {
    const std::string told = is_proxied(request) ? forwarded_client(request.forwarded_for) : std::string();
    return told.empty() ? request.address : told;
  }
  // Of the client's connection.
  bool is_tls(const HttpRequest& request) const {
    return request.tls || (is_proxied(request) && request.forwarded_proto == "https");
  }
  // The name of the cookie that this client sends.
  std::string cookie_of(const HttpRequest& request) const { return kept_name(cookie, is_tls(request)); }
  // For links that people open.
  std::string origin_for(const HttpRequest& request) const {
    return names.origin_for(provenance_of(request), is_tls(request));
  }

  const SignInOptions options;
  const std::string cookie;  // its name without TLS
  const PublicNames names;
  LoginGuard guard;
  LastUse last_use;
  PasswordThread passwords;
};

}  // namespace berth::controller::api
