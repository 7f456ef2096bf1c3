// A user's own password, and the links by which administrators let users set one.
#include "controller/api/auth/enrolment_token.h"
#include "controller/api/auth/login_link.h"
#include "controller/api/login/passwords.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/login/subject.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/time_text.h"
#include "events/codec/request_hash.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

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
  with_password(services, call, reply, {user, old}, wrong, [=](const projections::PasswordMark& checked) {
    set_password(services, call, reply, {user, fresh}, {"", checked},
                 [=](const projections::PasswordMark&, Offset position) {
                   reply(json_reply(200, json::object{{"position", position}}));
                 });
  });
}

// Puts a link into the request and returns its token. It follows from what is asked for, so that a request
// that is asked again gets the same one.
std::string add_link(const Services& services, v1::Request& request, std::int64_t good_for_ms) {
  const std::string asked = hashed_bytes(request) + std::to_string(good_for_ms);
  request.set_keyed_hash(std::string(as_view(blake2b_128(asked))));
  std::string token = base64url(as_view(services.context.passwords().keyed_hash("login link:" + asked)));
  const Timestamp expires = services.context.now() + good_for_ms * kMillisecond;
  auto& issue = *request.mutable_issue_login_link();
  issue.set_token_hash(std::string(as_view(hash_of_token(token))));
  issue.set_expires_ms(expires / kMillisecond);
  return token;
}

HttpReply link_reply(const Services& services, const Call& call, const std::string& user,
                     const std::string& token, const RequestAnswer& answer) {
  std::optional<Timestamp> expires;
  services.context.with_state([&](const StateView& view) {
    const auto* row = view.state.login_links.find(user);
    if (row != nullptr && row->def.token_hash() == as_view(hash_of_token(token)))
      expires = row->def.expires_ns();
  });
  if (!expires)
    return problem_reply(make_problem("link-spent", "the link of this request was used or replaced since",
                                      "make another with a new Idempotency-Key"),
                         call);
  return json_reply(answer.replayed ? 200 : 201,
                    json::object{{"url", link_of_token(services.sign_in.origin_for(call.request), token)},
                                 {"token", token},
                                 {"expires_at", format_time(*expires)},
                                 {"position", answer.position}});
}

void issue_link(const Services& services, const CallPtr& call, const Reply& reply) {
  const std::string user = call->path[0];
  std::optional<Problem> problem;
  services.context.with_state([&](const StateView& view) {
    problem = check_managed_subject(view.state, call->caller, user, Noun::kLoginLink, Verb::kCreate);
  });
  if (problem) return reply(problem_reply(*problem, *call));
  const auto token = std::make_shared<std::string>();
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader reader(body, "", errors);
    const std::int64_t wait = reader.duration_ms("expires_in").value_or(kLinkDefaultMs);
    if (wait <= 0 || wait > kLinkMaxMs)
      reader.fail("invalid-value", "expires_in", "more than nothing, and at most 30 days");
    reader.finish();
    if (call->caller.host) request.set_actor("controller");
    request.mutable_issue_login_link()->set_user(user);
    *token = add_link(services, request, wait);
  };
  ask_with_body(services, call, reply, fill, [=](const RequestAnswer& answer) {
    return link_reply(services, *call, user, *token, answer);
  });
}

}  // namespace

std::vector<Route> password_routes() {
  const Route::Need change{Noun::kPassword, Verb::kChange}, create{Noun::kLoginLink, Verb::kCreate};
  return {{"PUT", "/v1/users/{user}/password", "changePassword", change_password, change},
          {"POST", "/v1/users/{user}/link", "issueLoginLink", issue_link, create, {.host = true}}};
}

}  // namespace berth::controller::api
