// A user's own password, and the links by which administrators let users set one.
#include "controller/api/auth/enrolment_token.h"
#include "controller/api/auth/login_link.h"
#include "controller/api/login/passwords.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/login/subject.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/time_text.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

constexpr std::int64_t kLinkDefaultMs = kDay / kMillisecond;
constexpr std::int64_t kLinkMaxMs = 30 * kDay / kMillisecond;

// A password is its user's alone.
Problem not_own(const Services& services, const Call& call, const std::string& user) {
  std::optional<Problem> missing;
  services.context.with_state(
      [&](const StateView& view) { missing = missing_user(view.state, call.caller, user); });
  return missing.value_or(make_problem("denied", "a password is set by its user alone",
                                       "make a login link for them: berth login-link " + clipped(user)));
}

void change_password(const Services& services, const CallPtr& call, const Reply& reply) {
  const std::string user = call->path[0];
  if (user != call->caller.user) return reply(problem_reply(not_own(services, *call, user), *call));
  std::string old, fresh;
  if (!read_body(call, reply, [&](ObjectReader& reader) {
        old = reader.required_text("old", kPasswordBytesMax);
        fresh = reader.required_text("new", kPasswordBytesMax);
      }))
    return;
  if (const auto weak = check_new_password(fresh, user)) return reply(problem_reply(*weak, *call));
  const Problem wrong = make_problem("wrong-password", "the old password is another one",
                                     "an administrator can make a login link for a new one");
  with_password(services, call, reply, {user, old}, wrong, [=](const Hash128&) {
    set_password(services, call, reply, {user, fresh}, "", [=](const Hash128&, Offset position) {
      reply(json_reply(200, json::object{{"position", position}}));
    });
  });
}

void issue_link(const Services& services, const CallPtr& call, const Reply& reply) {
  const std::string user = call->path[0];
  std::optional<Problem> problem;
  services.context.with_state([&](const StateView& view) {
    problem = check_subject(view.state, call->caller, user, projections::Noun::kLoginLink,
                            projections::Verb::kCreate);
  });
  if (problem) return reply(problem_reply(*problem, *call));
  const std::string token = new_link_token();
  const auto expires = std::make_shared<Timestamp>();
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader reader(body, "", errors);
    const std::int64_t wait = reader.duration_ms("expires_in").value_or(kLinkDefaultMs);
    if (wait <= 0 || wait > kLinkMaxMs)
      reader.fail("invalid-value", "expires_in", "more than nothing, and at most 30 days");
    reader.finish();
    *expires = services.context.clock().now().wall + wait * kMillisecond;
    if (call->caller.host) request.set_actor("controller");
    auto& issue = *request.mutable_issue_login_link();
    issue.set_user(user);
    issue.set_token_hash(std::string(as_view(hash_of_token(token))));
    issue.set_expires_ms(*expires / kMillisecond);
  };
  ask_with_body(services, call, reply, fill, [=](const RequestAnswer& answer) {
    return json_reply(201,
                      json::object{{"url", link_of_token(services.sign_in.origin_for(call->request), token)},
                                   {"token", token},
                                   {"expires_at", format_time(*expires)},
                                   {"position", answer.position}});
  });
}

}  // namespace

std::vector<Route> password_routes() {
  return {{"PUT",
           "/v1/users/{user}/password",
           "changePassword",
           Route::kAnybody,
           change_password,
           {{Noun::kPassword, Verb::kChange}}},
          {"POST",
           "/v1/users/{user}/link",
           "issueLoginLink",
           Route::kAnybody,
           issue_link,
           {{Noun::kLoginLink, Verb::kCreate}}}};
}

}  // namespace berth::controller::api
