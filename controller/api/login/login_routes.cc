// Signing in and out: by a password, by a login link, for a browser or for a key pair.
#include "controller/api/auth/enrolment_token.h"
#include "controller/api/auth/key_file.h"
#include "controller/api/login/me.h"
#include "controller/api/login/passwords.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/json_values.h"
#include "controller/api/map/time_text.h"
#include "events/base/name.h"
#include "events/base/secrets.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kTokenMax = 128;
constexpr std::size_t kClientMax = 200;
constexpr std::int64_t kKeyDefaultMs = 90 * kDay / kMillisecond;

Problem login_failed() {
  return make_problem("login-failed", "user or password is wrong",
                      "an administrator can make a login link for another password");
}

// An expired link is told apart only to somebody who has it.
Error link_not_valid(std::optional<Timestamp> expired, Timestamp now) {
  return make_error(
      "link-not-valid",
      expired ? "this login link was good until " + format_second(*expired) + ", and " + cluster_says(now)
              : "this login link was used, has expired or was replaced by a newer one",
      "ask an administrator for another: berth login-link USER");
}

void sign_in(const Services& services, const CallPtr& call, const std::string& user) {
  services.context.with_state([&](const StateView& view) { read_user(view.state, user, call->caller); });
}

// `mark`: of the password that was checked or set.
void start_browser_session(const Services& services, const CallPtr& call, const Reply& reply,
                           const std::string& user, const projections::PasswordMark& mark) {
  sign_in(services, call, user);
  const BrowserCookie cookie{services.context.new_id(), random_bytes(kCookieSecretBytes)};
  const Duration lifetime = services.sign_in.options.lifetime;
  v1::Request request = request_of(services, *call);
  request.set_id(std::string(services.context.new_id().view()));  // each login is one of its own
  auto& start = *request.mutable_start_browser_session();
  start.set_id(std::string(cookie.id.view()));
  start.set_user(user);
  start.set_secret_hash(std::string(as_view(hash_of_cookie(cookie))));
  start.set_expires_ms((services.context.now() + lifetime) / kMillisecond);
  start.set_client(clipped(call->request.user_agent, kClientMax));
  start.set_address(services.sign_in.client_of(call->request));
  start.set_password_set(std::string(mark.view()));
  ask_and_reply(services, call, reply, request, [=](const RequestAnswer& answer) {
    call->cookie = cookie;
    call->caller.browser_session = cookie.id;
    HttpReply out = json_reply(200, json::object{{"user", me_json(services, *call)}});
    out.set("Set-Cookie", set_cookie(services.sign_in.cookie_of(call->request), cookie, lifetime / kSecond));
    out.set("X-Berth-Position", std::to_string(answer.position));
    return out;
  });
}

void login(const Services& services, const CallPtr& call, const Reply& reply) {
  GivenPassword given;
  if (!read_body(call, reply, [&](ObjectReader& reader) {
        given.user = reader.required_text("user", kNameMax);
        given.password = reader.required_text("password", kPasswordBytesMax);
      }))
    return;
  with_password(services, call, reply, given, login_failed(),
                [=, user = given.user](const projections::PasswordMark& mark) {
                  start_browser_session(services, call, reply, user, mark);
                });
}

struct WantedKey {
  std::string name;
  std::int64_t expires_in_ms = kKeyDefaultMs;
  bool read_only = false;
};

HttpReply key_reply(const Services& services, Call& call, const KeyPair& pair, Offset position) {
  v1::KeyPairDefined key;
  services.context.with_state([&](const StateView& view) {
    if (const auto* row = view.state.key_pairs.find(pair.access_key)) key = row->def;
  });
  call.caller.access_key = pair.access_key;
  call.caller.read_only = key.read_only();  // a monitor's is, whatever was wanted
  return json_reply(201, json::object{{"access_key", pair.access_key},
                                      {"secret_key", pair.secret_key},
                                      {"expires_at", format_time(key.expires_ns())},
                                      {"position", position},
                                      {"user", me_json(services, call)}});
}

// `mark`: as start_browser_session()'s.
void add_key_pair(const Services& services, const CallPtr& call, const Reply& reply, const std::string& user,
                  const projections::PasswordMark& mark, const WantedKey& wanted) {
  sign_in(services, call, user);
  const KeyPair pair = new_key_pair();
  v1::Request request = request_of(services, *call);
  request.set_id(std::string(services.context.new_id().view()));  // as each login
  request.mutable_add_key_pair()->set_password_set(std::string(mark.view()));
  auto& key = *request.mutable_add_key_pair()->mutable_key();
  key.set_id(pair.access_key);
  key.set_user(user);
  key.set_name(wanted.name);
  key.set_expires_ns(services.context.now() + wanted.expires_in_ms * kMillisecond);
  key.set_read_only(wanted.read_only);
  services.context.key_pairs().seal(key, pair.secret_key);
  ask_and_reply(
      services, call, reply, request,
      [=](const RequestAnswer& answer) { return key_reply(services, *call, pair, answer.position); },
      [=](v1::Request& again) {
        services.context.key_pairs().seal(*again.mutable_add_key_pair()->mutable_key(), pair.secret_key);
      });
}

void login_for_key(const Services& services, const CallPtr& call, const Reply& reply) {
  GivenPassword given;
  WantedKey wanted;
  if (!read_body(call, reply, [&](ObjectReader& reader) {
        given.user = reader.required_text("user", kNameMax);
        given.password = reader.required_text("password", kPasswordBytesMax);
        wanted.name = reader.name("name").value_or("");
        reader.require("name", !wanted.name.empty());
        wanted.expires_in_ms = reader.duration_ms("expires_in").value_or(kKeyDefaultMs);
        wanted.read_only = reader.boolean("read_only").value_or(false);
        if (wanted.expires_in_ms == 0) reader.fail("invalid-value", "expires_in", "must be more than 0");
      }))
    return;
  with_password(services, call, reply, given, login_failed(),
                [=, user = given.user](const projections::PasswordMark& mark) {
                  add_key_pair(services, call, reply, user, mark, wanted);
                });
}

struct FoundLink {
  std::string user;
  std::string token_hash;
  Timestamp expires = 0;
};

Result<FoundLink> find_link(const Services& services, const Call& call, const std::string& token) {
  const std::string hash(as_view(hash_of_token(token)));
  const Timestamp now = services.context.now();
  std::optional<FoundLink> found;
  std::optional<Timestamp> expired;
  services.context.with_state([&](const StateView& view) {
    view.state.login_links.for_each_unordered([&](const projections::LoginLinkRow& row) {
      if (row.def.token_hash() != hash) return;
      const auto* user = view.state.users.find(row.def.user());
      if (user == nullptr || user->def.disabled()) return;
      if (row.def.expires_ns() <= now)
        expired = row.def.expires_ns();
      else
        found = {row.def.user(), hash, row.def.expires_ns()};
    });
  });
  if (found) return *std::move(found);
  note_login_failure(services, call, "link", "");
  return link_not_valid(expired, now);
}

void check_link(const Services& services, const CallPtr& call, const Reply& reply) {
  std::string token;
  if (!read_body(call, reply,
                 [&](ObjectReader& reader) { token = reader.required_text("token", kTokenMax); }))
    return;
  const auto link = find_link(services, *call, token);
  if (!link) return reply(problem_reply(to_problem(link.error()), *call));
  reply(json_reply(200, json::object{{"user", link->user}, {"expires_at", format_time(link->expires)}}));
}

void login_by_link(const Services& services, const CallPtr& call, const Reply& reply) {
  std::string token, password;
  if (!read_body(call, reply, [&](ObjectReader& reader) {
        token = reader.required_text("token", kTokenMax);
        password = reader.required_text("password", kPasswordBytesMax);
      }))
    return;
  const auto link = find_link(services, *call, token);
  if (!link) return reply(problem_reply(to_problem(link.error()), *call));
  if (const auto weak = check_new_password(password, link->user)) return reply(problem_reply(*weak, *call));
  sign_in(services, call, link->user);
  set_password(services, call, reply, {link->user, password}, {link->token_hash, std::nullopt},
               [=, user = link->user](const projections::PasswordMark& mark, Offset) {
                 note_login(services, *call, user);
                 start_browser_session(services, call, reply, user, mark);
               });
}

void logout(const Services& services, const CallPtr& call, const Reply& reply) {
  if (!read_body(call, reply, [](ObjectReader&) {})) return;
  if (!call->cookie)
    return reply(problem_reply(make_problem("not-a-browser-session", "a key pair is not signed out",
                                            "berth logout removes the one that berth login made"),
                               *call));
  v1::Request request = request_of(services, *call);
  auto& end = *request.mutable_end_browser_sessions();
  end.set_user(call->caller.user);
  end.set_id(std::string(call->cookie->id.view()));
  end.set_reason(v1::CODE_LOGOUT);
  ask_and_reply(services, call, reply, request, [=](const RequestAnswer&) {
    HttpReply out = json_reply(200, json::object());
    out.set("Set-Cookie", clear_cookie(services.sign_in.cookie_of(call->request)));
    return out;
  });
}

}  // namespace

std::vector<Route> login_routes() {
  return {{"POST", "/v1/login", "login", login, Route::kLogin},
          {"POST", "/v1/login/key", "loginForKey", login_for_key, Route::kLogin},
          {"POST", "/v1/login/link", "loginByLink", login_by_link, Route::kLogin},
          {"POST", "/v1/login/link/check", "checkLink", check_link, Route::kLogin},
          {"POST", "/v1/logout", "logout", logout, Route::kAnybody}};
}

}  // namespace berth::controller::api
