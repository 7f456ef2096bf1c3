// GET /v1/sessions...: reading.
#include "controller/api/call.h"
#include "controller/api/map/json_values.h"
#include "controller/api/map/session_json.h"
#include "controller/api/session_writes.h"

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
      query.fail("invalid-page-token", "page_token", "is no token of this list", "use next_page_token as it came");
    after = position.value_or(after);
  }
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  filter.user = call->caller.sees_all() ? user.value_or("") : call->caller.user;
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
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
  if (!entry->has_value() || ((*entry)->session.owner->owner.user() != call.caller.user && !call.caller.sees_all()))
    return problem_reply(to_problem(not_found), call);
  HttpReply out;
  services.context.with_state(
      [&](const StateView& view) { out = json_reply(view, history_to_json(SlotKinds(view.state), **entry)); });
  return out;
}

void show(const Services& services, const CallPtr& call, const Reply& reply) {
  HttpReply out;
  std::optional<Error> not_found;
  services.context.with_state([&](const StateView& view) {
    const auto session = find_session(view.state, call->caller, call->path[0]);
    if (session.ok())
      out = json_reply(view, session_to_json(view.state, SlotKinds(view.state), **session));
    else
      not_found = session.error();
  });
  if (!not_found) return reply(std::move(out));
  if (not_found->code != "unknown-session") return reply(problem_reply(to_problem(*not_found), *call));
  services.blocking.post([services, call, reply, error = *not_found] { reply(past_session(services, *call, error)); });
}

json::array limits_to_json(const SlotKinds& kinds, const std::vector<LimitInTheWay>& limits) {
  json::array out;
  for (const LimitInTheWay& l : limits) {
    const auto text = [&](Amount amount) { return l.is_count ? std::to_string(amount) : amount_text(kinds, l.what, amount); };
    out.push_back({{"scope", l.scope},
                   {"id", l.id},
                   {"what", l.what},
                   {"used", text(l.used)},
                   {"asked", text(l.asked)},
                   {"limit", text(l.limit)}});
  }
  return out;
}

json::array unmet_to_json(const std::vector<Unmet>& unmet) {
  json::array out;
  for (const Unmet& on : unmet)
    out.push_back({{"session", to_string(on.session)}, {"name", on.name}, {"status", on.status}, {"result", text_or_null(on.result)}});
  return out;
}

json::object explanation_to_json(const SlotKinds& kinds, const Explanation& why) {
  json::array lacking, holders;
  for (const Lacking& lack : why.lacking)
    lacking.push_back({{"slot", lack.slot},
                       {"asked", amount_text(kinds, lack.slot, lack.asked)},
                       {"best_free", amount_text(kinds, lack.slot, lack.best_free)},
                       {"where", lack.where}});
  for (const Holder& holder : why.holders)
    holders.push_back({{"session", to_string(holder.session)},
                       {"name", holder.name},
                       {"user", holder.user},
                       {"agent", holder.agent},
                       {"device", holder.device},
                       {"slot", holder.slot},
                       {"amount", amount_text(kinds, holder.slot, holder.amount)}});
  json::object out{{"code", why.code.empty() ? json::value(nullptr) : json::value(why.code)},
                   {"slot", why.slot.empty() ? json::value(nullptr) : json::value(why.slot)},
                   {"text", why.text},
                   {"hint", why.hint}};
  const auto ids_of = [](const std::vector<std::vector<SessionId>>& sets) {
    json::array all;
    for (const auto& set : sets) {
      json::array ids;
      for (const SessionId& id : set) ids.push_back(json::value(to_string(id)));
      all.push_back(std::move(ids));
    }
    return all;
  };
  json::array lines;
  for (const std::string& line : why.unblock.lines) lines.push_back(json::value(line));
  out["unblock"] = json::object{{"lines", std::move(lines)},
                                {"ends", ids_of(why.unblock.ends)},
                                {"leaves", ids_of(why.unblock.leaves)},
                                {"complete", why.unblock.complete}};
  out["lacking"] = std::move(lacking);
  out["holders"] = std::move(holders);
  out["limits"] = limits_to_json(kinds, why.limits);
  out["unmet"] = unmet_to_json(why.unmet);
  out["blocked_by"] = why.blocked_by.is_nil() ? json::value(nullptr) : json::value(to_string(why.blocked_by));
  out["queue_position"] = why.queue_position == 0 ? json::value(nullptr) : json::value(why.queue_position);
  return out;
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
    head = {{"session", to_string(id)}, {"name", (*session)->name}, {"status", projections::name_of((*session)->status)}};
  });
  if (not_found) return problem_reply(to_problem(*not_found), call);
  const auto sees = [&](const projections::SessionRow& row) {
    return call.caller.sees_all() || (row.owner && row.owner->owner.user() == call.caller.user);
  };
  const auto why = services.context.why(id, sees);
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
