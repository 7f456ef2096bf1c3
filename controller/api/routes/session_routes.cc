// GET /v1/sessions...: reading.
#include "controller/api/map/explanation_json.h"
#include "controller/api/map/session_json.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/session_writes.h"
#include "controller/api/routes/user_in_group.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

void list(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  SessionFilter filter = read_session_filter(query);
  const auto user = query.text("user");
  const auto limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  projections::Position after;
  if (const auto token = query.text("page_token")) {
    const auto position = parse_position(*token);
    if (!position)
      query.fail("invalid-page-token", "page_token", "is no token of this list",
                 "use next_page_token as it came");
    after = position.value_or(after);
  }
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  filter.user = call->caller.sees_all() ? user.value_or("") : call->caller.user;
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    if (const auto missing = missing_group(view.state, filter.group)) {
      out = problem_reply(*missing, *call);
      return;
    }
    const SlotKinds kinds(view.state);
    const SessionPage page = select_sessions(view.state, filter, after, limit);
    json::object body{{"sessions", sessions_to_json(view.state, kinds, page.sessions)},
                      {"next_page_token", nullptr},
                      {"position", position_or_null(view)}};
    if (page.more) body["next_page_token"] = projections::to_string(page.sessions.back()->created);
    out = json_reply(view, body);
  });
  reply(std::move(out));
}

// Of a session that left the state: by its id alone.
HttpReply past_session(const Services& services, const Call& call, const Error& not_found) {
  const auto id = Uuid::parse(call.path[0]);
  if (!id) return problem_reply(to_problem(not_found), call);
  const auto entry = services.context.find_history(SessionId(*id));
  if (!entry.ok()) return problem_reply(to_problem(entry.error()), call);
  if (!entry->has_value() ||
      ((*entry)->session.owner->owner.user() != call.caller.user && !call.caller.sees_all()))
    return problem_reply(to_problem(not_found), call);
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    out = json_reply(view, history_to_json(SlotKinds(view.state), **entry));
  });
  return out;
}

// A run of the scheduler: not for those who ask again and again.
HttpReply with_estimate(const Services& services, const Call& call, json::object session,
                        const SessionId& id) {
  const auto start = services.context.estimate_start(id);
  if (!start.ok()) return problem_reply(to_problem(start.error()), call);
  session["estimated_start"] = *start ? estimate_to_json(**start) : json::value(nullptr);
  return json_reply(200, session);
}

void show(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const bool estimate = query.flag("estimate", false);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  std::optional<Error> not_found;
  json::object found;
  SessionId id;
  services.context.with_state([&](const StateView& view) {
    const auto session = find_session(view.state, call->caller, call->path[0]);
    if (session.ok()) {
      id = (*session)->id;
      found = session_to_json(view.state, SlotKinds(view.state), **session);
      if (!estimate) out = json_reply(view, found);
    } else {
      not_found = session.error();
    }
  });
  if (!not_found && !estimate) return reply(std::move(out));
  if (!not_found)
    return services.blocking.post([services, call, reply, found = std::move(found), id] {
      reply(with_estimate(services, *call, found, id));
    });
  if (!is_unknown_session(*not_found)) return reply(problem_reply(to_problem(*not_found), *call));
  services.blocking.post(
      [services, call, reply, error = *not_found] { reply(past_session(services, *call, error)); });
}

HttpReply explain(const Services& services, const Call& call) {
  SessionId id;
  SlotKinds kinds;
  json::object head;
  std::optional<Error> not_found;
  services.context.with_state([&](const StateView& view) {
    const auto session = find_session(view.state, call.caller, call.path[0]);
    if (!session.ok()) {
      not_found = session.error();
      return;
    }
    id = (*session)->id;
    kinds = SlotKinds(view.state);
    head = {{"session", to_string(id)},
            {"name", (*session)->name},
            {"status", projections::name_of(shown_status(**session))}};
  });
  if (not_found) return problem_reply(to_problem(*not_found), call);
  const auto why = services.context.why(id, sees_of(call.caller));
  if (!why.ok()) return problem_reply(to_problem(why.error()), call);
  for (auto& member : explanation_to_json(kinds, *why)) head[member.key()] = std::move(member.value());
  return json_reply(200, head);
}

void why(const Services& services, const CallPtr& call, const Reply& reply) {
  services.blocking.post([services, call, reply] { reply(explain(services, *call)); });
}

}  // namespace

std::vector<Route> session_routes() {
  return {{"GET", "/v1/sessions", "listSessions", Route::kAnybody, list},
          {"POST", "/v1/sessions", "createSessions", Route::kAnybody, create_sessions},
          {"GET", "/v1/sessions/{session}", "getSession", Route::kAnybody, show},
          {"DELETE", "/v1/sessions/{session}", "deleteSession", Route::kAnybody, delete_session},
          {"GET", "/v1/sessions/{session}/why", "explainSession", Route::kAnybody, why},
          {"GET", "/v1/sessions/{session}/logs", "getSessionLogs", Route::kAnybody, session_logs}};
}

}  // namespace berth::controller::api
