#include "controller/api/routes/past_session.h"

#include <utility>

#include "controller/api/map/json_values.h"
#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

using Found = Result<std::optional<projections::HistoryEntry>>;

Found find_by_id_or_name(ApiContext& context, const Caller& caller, const std::string& id_or_name) {
  if (const auto id = Uuid::parse(id_or_name)) return context.find_history(SessionId(*id));
  Found own = context.find_history_by_name(caller.user, id_or_name);
  if (!own.ok() || own->has_value()) return own;
  return context.find_history_by_name("", id_or_name);
}

// Puts the session's id in the place of what was asked for, and says which it is.
json::value take(std::string& text, const projections::SessionRow& session) {
  const std::string asked = std::exchange(text, to_string(session.id));
  return json::object{{"asked", asked},
                      {"session", text},
                      {"name", session.name},
                      {"status", projections::name_of(session.status)},
                      {"result", text_or_null(projections::name_of(session.result))},
                      {"ended_at", time_or_null(session.ended_at)}};
}

Error unknown_dependency(const std::string& text) {
  return make_error(kUnknownSession, "you have no session '" + clipped(text) + "'", "");
}

}  // namespace

Result<projections::HistoryEntry> find_past(const Services& services, const Caller& caller,
                                            const std::string& id_or_name, const Error& not_found) {
  auto found = find_by_id_or_name(services.context, caller, id_or_name);
  if (!found.ok()) return found.error();
  bool seen = false;
  services.context.with_state([&](const StateView& view) {
    seen = found->has_value() &&
           may_see_session(actor_of(view.state, caller), (*found)->session.owner->owner, nullptr);
  });
  if (!seen) return not_found;
  return std::move(**found);
}

Result<json::array> resolve_dependencies(const Services& services, const Caller& caller,
                                         v1::RequestSession& request) {
  const auto is_own = [&](const projections::SessionRow& session) {  // it depends on its owner's alone
    return session.owner->owner.user() == caller.user;
  };
  json::array all;
  for (std::string& text : *request.mutable_depends_on()) {
    std::optional<Error> not_found;
    services.context.with_state([&](const StateView& view) {
      const auto session = find_session(view.state, caller, text);
      if (session.ok() && is_own(**session))
        all.push_back(take(text, **session));
      else
        not_found =
            session.ok() || !is_unknown_session(session.error()) ? unknown_dependency(text) : session.error();
    });
    if (!not_found) continue;
    const auto past = find_past(services, caller, text, *not_found);
    if (past.ok() && is_own(past->session))
      all.push_back(take(text, past->session));
    else if (!past.ok() && !is_unknown_session(past.error()))
      return past.error();
  }
  return all;
}

}  // namespace berth::controller::api
