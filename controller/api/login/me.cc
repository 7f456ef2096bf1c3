#include "controller/api/login/me.h"

#include "controller/api/auth/csrf.h"
#include "controller/api/identity/identity_json.h"
#include "controller/api/map/json_values.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller::api {

boost::json::object me_json(const Services& services, const Call& call) {
  const Caller& caller = call.caller;
  const ClusterFacts facts = services.context.facts();
  boost::json::object out{{"user", caller.user},
                          {"display_name", caller.user},
                          {"domain", caller.domain},
                          {"project", caller.project},
                          {"projects", boost::json::array()},
                          {"role", word(caller.role)},
                          {"access_key", text_or_null(caller.access_key)},
                          {"read_only", caller.read_only},
                          {"browser_session", id_or_null(caller.browser_session)},
                          {"cluster", facts.cluster},
                          {"version", facts.version}};
  out["csrf"] = text_or_null(call.cookie ? csrf_token(call.cookie->secret) : std::string());
  services.context.with_state([&](const StateView& view) {
    out["rights"] = rights_to_json(actor_of(view.state, caller));
    const auto* user = view.state.users.find(caller.user);
    if (user == nullptr) return;
    if (!user->def.display_name().empty()) out["display_name"] = user->def.display_name();
    out["projects"] = projects_of_user(user->def);
  });
  return out;
}

}  // namespace berth::controller::api
