#include "controller/api/login/me.h"

#include "controller/api/auth/csrf.h"
#include "controller/api/map/json_values.h"

namespace berth::controller::api {

boost::json::object me_json(const Services&, const Call& call) {
  const Caller& caller = call.caller;
  boost::json::object out{{"user", caller.user},
                          {"domain", caller.domain},
                          {"project", caller.project},
                          {"role", caller.role},
                          {"access_key", text_or_null(caller.access_key)},
                          {"read_only", caller.read_only},
                          {"browser_session", id_or_null(caller.browser_session)}};
  out["csrf"] = text_or_null(call.cookie ? csrf_token(call.cookie->secret) : std::string());
  return out;
}

}  // namespace berth::controller::api
