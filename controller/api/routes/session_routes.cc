// GET /v1/sessions...: the routes of sessions, and those that only read the state.
#include "controller/api/map/explanation_json.h"
#include "controller/api/map/json_values.h"
#include "controller/api/map/session_json.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/past_session.h"
#include "controller/api/routes/session_list.h"
#include "controller/api/routes/session_logs.h"
#include "controller/api/routes/session_share.h"
#include "controller/api/routes/session_writes.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

// The variables that were sealed, for the session's owner alone (P29).
std::optional<v1::Environment> open_environment(const Services& services, const projections::Actor& actor,
                                                const projections::SessionRow& session) {
  if (!session.environment || !may(actor, Noun::kEnvironment, Verb::kSee, session.owner->owner)) return {};
  auto opened =
      services.context.environments().open(*session.environment, session.actor, session.request.view());
  return opened.ok() ? std::optional(std::move(*opened)) : std::nullopt;
}

HttpReply past_session(const Services& services, const Call& call, const Error& not_found) {
  const auto past = find_past(services, call.caller, call.path[0], not_found);
  if (!past.ok()) return problem_reply(to_problem(past.error()), call);
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const projections::Actor actor = actor_of(view.state, call.caller);
    const auto environment = open_environment(services, actor, past->session);
    out = json_text_reply(
        view, history_to_json(SlotKinds(view.state), *past, actor, environment ? &*environment : nullptr));
  });
  return out;
}

// A run of the scheduler: not for those who ask again and again.
HttpReply with_estimate(const Services& services, const Call& call, std::string session,
                        const SessionId& id) {
  const auto start = services.context.estimate_start(id);
  if (!start.ok()) return problem_reply(to_problem(start.error()), call);
  session.back() = ',';  // one member more
  session +=
      "\"estimated_start\":" + json::serialize(*start ? estimate_to_json(**start) : json::value(nullptr)) +
      "}";
  return json_text_reply(200, std::move(session));
}

void show(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const bool estimate = query.flag("estimate", false);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  std::optional<Error> not_found;
  std::string found;
  SessionId id;
  services.context.with_state([&](const StateView& view) {
    const auto session = find_session(view.state, call->caller, call->path[0]);
    if (session.ok()) {
      id = (*session)->id;
      const projections::Actor actor = actor_of(view.state, call->caller);
      const auto environment = open_environment(services, actor, **session);
      found = session_to_json(view.state, SlotKinds(view.state), **session, actor,
                              environment ? &*environment : nullptr);
      if (!estimate) out = json_text_reply(view, std::move(found));
    } else {
      not_found = session.error();
    }
  });
  if (!not_found && !estimate) return reply(std::move(out));
  if (!not_found)
    return take_turn(services, call, reply, Turns::Work::kShort,
                     [services, call, reply, found = std::move(found), id] {
                       reply(with_estimate(services, *call, found, id));
                     });
  if (!is_unknown_session(*not_found)) return reply(problem_reply(to_problem(*not_found), *call));
  take_turn(services, call, reply, Turns::Work::kShort,
            [services, call, reply, error = *not_found] { reply(past_session(services, *call, error)); });
}

json::object head_of(const projections::SessionRow& session) {
  return {{"session", to_string(session.id)},
          {"name", session.name},
          {"status", projections::name_of(shown_status(session))}};
}

HttpReply explain_past(const Services& services, const Call& call, const Error& not_found) {
  const auto past = find_past(services, call.caller, call.path[0], not_found);
  if (!past.ok()) return problem_reply(to_problem(past.error()), call);
  json::object head = head_of(past->session);
  for (auto& member : explanation_to_json({}, {})) head[member.key()] = std::move(member.value());
  return json_reply(200, head);
}

HttpReply explain(const Services& services, const Call& call) {
  SessionId id;
  SlotKinds kinds;
  SeesSession sees;
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
    sees = sees_of(view.state, actor_of(view.state, call.caller));
    head = head_of(**session);
  });
  if (not_found && is_unknown_session(*not_found)) return explain_past(services, call, *not_found);
  if (not_found) return problem_reply(to_problem(*not_found), call);
  const auto why = services.context.why(id, sees);
  if (!why.ok()) return problem_reply(to_problem(why.error()), call);
  for (auto& member : explanation_to_json(kinds, *why)) head[member.key()] = std::move(member.value());
  return json_reply(200, head);
}

void why(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  take_turn(services, call, reply, Turns::Work::kShort,
            [services, call, reply] { reply(explain(services, *call)); });
}

}  // namespace

std::vector<Route> session_routes() {
  const Route::Need see_session{Noun::kSession, Verb::kSee}, create{Noun::kSession, Verb::kCreate},
      end{Noun::kSession, Verb::kEnd}, change{Noun::kSession, Verb::kChange},
      see_session_log{Noun::kSessionLog, Verb::kSee};
  const Route::Traits past_read{.past = Route::kPast, .producers = Route::kRead},
      asks_request_session{.producers = v1::Request::kRequestSession},
      asks_terminate_session{.producers = v1::Request::kTerminateSession},
      asks_share_session{.producers = v1::Request::kShareSession}, read{.producers = Route::kRead};
  return {{"GET", "/v1/sessions", "listSessions", list_sessions, see_session, past_read},
          {"POST", "/v1/sessions", "createSessions", create_sessions, create, asks_request_session},
          {"GET", "/v1/sessions/{session}", "getSession", show, see_session, past_read},
          {"DELETE", "/v1/sessions/{session}", "deleteSession", delete_session, end, asks_terminate_session},
          {"PUT", "/v1/sessions/{session}/shares", "shareSession", share_session, change, asks_share_session},
          {"GET", "/v1/sessions/{session}/why", "explainSession", why, see_session, past_read},
          {"GET", "/v1/sessions/{session}/logs", "getSessionLogs", session_logs, see_session_log, read}};
}

}  // namespace berth::controller::api
