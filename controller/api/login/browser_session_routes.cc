// Where a user is signed in, and an end to it.
#include <algorithm>

#include "controller/api/identity/identity_json.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/login/subject.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/json_values.h"
#include "controller/api/routes/asker.h"
#include "events/codec/words/codes.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::BrowserSessionRow;
using projections::Noun;
using projections::Verb;

// The newest first. What is over is not shown, though nobody has ended it.
json::array browser_sessions_of(const StateView& view, const Services& services, const Call& call,
                                const std::string& user) {
  const Timestamp now = services.context.now();
  const Duration idle = services.sign_in.options.idle;
  std::vector<const BrowserSessionRow*> rows;
  view.state.browser_sessions.for_each_unordered([&](const BrowserSessionRow& row) {
    if (row.user == user && end_of(row, idle) > now) rows.push_back(&row);
  });
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return std::pair(b->started_at, b->id) < std::pair(a->started_at, a->id);
  });
  json::array items;
  for (const auto* row : rows) {
    json::object item = browser_session_to_json(*row);
    item["current"] = row->id == call.caller.browser_session;
    items.push_back(std::move(item));
  }
  return items;
}

void list_browser_sessions(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const std::string user = query.text("user").value_or(call->caller.user);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    if (const auto problem = check_subject(view.state, call->caller, user, projections::Noun::kBrowserSession,
                                           projections::Verb::kSee))
      out = problem_reply(*problem, *call);
    else
      out = json_reply(view,
                       json::object{{"browser_sessions", browser_sessions_of(view, services, *call, user)},
                                    {"position", position_or_null(view)}});
  });
  reply(std::move(out));
}

Problem unknown_browser_session(const std::string& id) {
  return make_problem("unknown-browser-session", "there is no browser session '" + clipped(id) + "'",
                      "GET /v1/browser-sessions lists yours");
}

void end_browser_session(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto id = Uuid::parse(call->path[0]);
  std::string user;
  services.context.with_state([&](const StateView& view) {
    const auto* row = id ? view.state.browser_sessions.find(*id) : nullptr;
    if (row != nullptr && !check_subject(view.state, call->caller, row->user,
                                         projections::Noun::kBrowserSession, projections::Verb::kEnd))
      user = row->user;
  });
  if (user.empty()) return reply(problem_reply(unknown_browser_session(call->path[0]), *call));
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    read_nothing(body, errors);
    auto& end = *request.mutable_end_browser_sessions();
    end.set_user(user);
    end.set_id(std::string(id->view()));
    end.set_reason(v1::CODE_ENDED_BY_USER);
  };
  ask_with_body(services, call, reply, fill, [=](const RequestAnswer& answer) {
    HttpReply out = json_reply(200, json::object{{"position", answer.position}});
    if (*id == call->caller.browser_session)
      out.set("Set-Cookie", clear_cookie(services.sign_in.cookie_of(call->request)));
    return out;
  });
}

}  // namespace

std::vector<Route> browser_session_routes() {
  const Route::Need see{Noun::kBrowserSession, Verb::kSee}, ends{Noun::kBrowserSession, Verb::kEnd};
  const Route::Traits past_of_superadmins{.past = Route::kOfSuperadmins};
  return {
      {"GET", "/v1/browser-sessions", "listBrowserSessions", list_browser_sessions, see, past_of_superadmins},
      {"DELETE", "/v1/browser-sessions/{id}", "endBrowserSession", end_browser_session, ends}};
}

}  // namespace berth::controller::api
