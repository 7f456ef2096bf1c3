// Limits of domains, projects, users and key pairs: GET, PUT, DELETE /v1/limits/{scope}/{id}.
#include "controller/api/map/limit_json.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/page.h"
#include "events/codec/words/enum_words.h"
#include "projections/subjects.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

Problem unknown_limit(const std::string& scope, const std::string& id) {
  return make_problem("unknown-limit", clipped(scope) + " " + clipped(id) + " has no limit",
                      "berth limit ls lists them");
}

void list_limits(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(services, call, reply, "limits", &projections::State::limits,
             [](const ListView& list, const projections::LimitRow& row) -> json::value {
               if (!may_see_limit(list.view.state, list.actor, row.def.scope(), row.def.id())) return nullptr;
               return limit_to_json(list.view.state, list.kinds, row.def);
             });
}

// nullopt, and the reply was sent: the path names no scope of limits.
std::optional<v1::ScopeKind> scope_in(const CallPtr& call, const Reply& reply) {
  const auto scope = from_word<v1::ScopeKind>(call->path[0]);
  if (!scope) reply(problem_reply(unknown_limit(call->path[0], call->path[1]), *call));
  return scope;
}

void get_limit(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto scope = scope_in(call, reply);
  if (!scope) return;
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const std::string key = call->path[0] + "/" + call->path[1];
    const bool seen = may_see_limit(view.state, actor_of(view.state, call->caller), *scope, call->path[1]);
    const auto* row = seen ? view.state.limits.find(key) : nullptr;
    out = row == nullptr ? problem_reply(unknown_limit(call->path[0], call->path[1]), *call)
                         : json_reply(view, limit_to_json(view.state, SlotKinds(view.state), row->def));
  });
  reply(std::move(out));
}

void put_limit(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    const auto scope = from_word<v1::ScopeKind>(call->path[0]);
    if (!scope)
      errors.add("unknown-scope", "scope", "'" + clipped(call->path[0]) + "' has no limits",
                 "domain, project, user, keypair");
    *request.mutable_set_limit()->mutable_limit() = read_limit(
        body, slot_kinds(services), scope.value_or(v1::SCOPE_KIND_UNSPECIFIED), call->path[1], errors);
  };
  ask_with_body(services, call, reply, fill, [services, call](const RequestAnswer& answer) {
    json::object out{{"limit", nullptr}, {"position", answer.position}};
    services.context.with_state([&](const StateView& view) {
      if (const auto* row = view.state.limits.find(call->path[0] + "/" + call->path[1]))
        out["limit"] = limit_to_json(view.state, SlotKinds(view.state), row->def);
    });
    return json_reply(200, out);
  });
}

void delete_limit(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  v1::Request request = request_of(services, *call);
  request.set_reason(read_reason(query));
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto scope = scope_in(call, reply);
  if (!scope) return;
  request.mutable_remove_limit()->set_scope(*scope);
  request.mutable_remove_limit()->set_id(call->path[1]);
  ask_and_reply(services, call, reply, request, [](const RequestAnswer& answer) {
    return json_reply(200, json::object{{"limit", nullptr}, {"position", answer.position}});
  });
}

}  // namespace

std::vector<Route> limit_routes() {
  const Route::Need see{Noun::kLimit, Verb::kSee};
  return {{"GET", "/v1/limits", "listLimits", list_limits, see, {.past = Route::kPast}},
          {"GET", "/v1/limits/{scope}/{id}", "getLimit", get_limit, see, {.past = Route::kPast}},
          {"PUT", "/v1/limits/{scope}/{id}", "putLimit", put_limit, {Noun::kLimit, Verb::kChange}},
          {"DELETE", "/v1/limits/{scope}/{id}", "deleteLimit", delete_limit, {Noun::kLimit, Verb::kChange}}};
}

}  // namespace berth::controller::api
