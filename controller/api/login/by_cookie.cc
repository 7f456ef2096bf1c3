#include "controller/api/login/by_cookie.h"

#include "controller/api/auth/csrf.h"
#include "controller/api/auth/signature.h"
#include "projections/password_mark.h"

namespace berth::controller::api {
namespace {

Problem signed_out(std::string why) { return make_problem("signed-out", std::move(why), "sign in again"); }

std::optional<projections::BrowserSessionRow> find_browser_session(ApiContext& context,
                                                                   const BrowserCookie& cookie,
                                                                   Caller& caller) {
  std::optional<projections::BrowserSessionRow> found;
  context.with_state([&](const StateView& view) {
    const auto* row = view.state.browser_sessions.find(cookie.id);
    if (row == nullptr || !equal_signatures(as_view(row->secret_hash), as_view(hash_of_cookie(cookie))))
      return;
    const auto* user = view.state.users.find(row->user);
    if (user == nullptr || user->def.disabled()) return;
    found = *row;
    read_user(view.state, row->user, caller);
  });
  return found;
}

std::optional<Problem> check_csrf(const HttpRequest& request, const BrowserCookie& cookie) {
  if (request.csrf.empty())
    return make_problem("csrf-missing", "a write of a browser needs the header X-Berth-CSRF",
                        "GET /v1/whoami says its value");
  if (!equal_signatures(request.csrf, csrf_token(cookie.secret)))
    return make_problem("csrf-wrong", "X-Berth-CSRF is not of this browser session",
                        "GET /v1/whoami says its value");
  return std::nullopt;
}

void record_use(ApiContext& context, v1::RecordUse use) {
  const Timestamp now = context.now();
  use.set_used_ms(now / kMillisecond);
  v1::Request request;
  request.set_id(std::string(context.new_id().view()));
  request.set_actor("controller");
  stamp_times(context, request);
  *request.mutable_record_use() = std::move(use);
  (void)context.submit(request, [](const AppendResult&) {});
}

bool is_of_a_person(const HttpRequest& request) {
  return request.background.empty() && request.accept.find("text/event-stream") == std::string::npos;
}

}  // namespace

std::optional<Problem> check_page(const SignIn& sign_in, const HttpRequest& request, bool writes) {
  const Provenance from = sign_in.provenance_of(request);
  if (auto problem = check_host(sign_in.names, from)) return problem;
  if (auto problem = check_same_site(from)) return problem;
  return writes ? check_origin(sign_in.names, from) : std::nullopt;
}

std::optional<Problem> authenticate_by_cookie(const Services& services, Call& call,
                                              const BrowserCookie& cookie) {
  const bool writes = !call.request.is_safe();
  if (auto problem = check_page(services.sign_in, call.request, writes)) return problem;
  const auto row = find_browser_session(services.context, cookie, call.caller);
  if (!row) return signed_out("this browser is not signed in any more");
  const Timestamp now = services.context.now();
  if (row->expires_at <= now) return signed_out("this browser signed in too long ago");
  if (row->used_at + services.sign_in.options.idle <= now)
    return signed_out("nobody has used this browser session for long");
  if (writes)
    if (auto problem = check_csrf(call.request, cookie)) return problem;
  call.cookie = cookie;
  call.caller.browser_session = row->id;
  if (is_of_a_person(call.request)) record_use_of_browser(services, row->id, row->used_at);
  return std::nullopt;
}

void record_use_of_browser(const Services& services, const Uuid& browser_session, Timestamp recorded) {
  const Timestamp now = services.context.now();
  if (!services.sign_in.last_use.is_new(to_string(browser_session), recorded, now)) return;
  v1::RecordUse use;
  use.set_browser_session(std::string(browser_session.view()));
  record_use(services.context, std::move(use));
}

std::optional<KnownPassword> find_password(ApiContext& context, const std::string& user) {
  std::optional<v1::PasswordSet> found;
  context.with_state([&](const StateView& view) {
    const auto* row = view.state.users.find(user);
    const auto* password = view.state.passwords.find(user);
    if (row != nullptr && !row->def.disabled() && password != nullptr) found = password->def;
  });
  if (!found) return std::nullopt;
  auto hash = context.passwords().open(user, found->hash());
  if (!hash) return std::nullopt;
  return KnownPassword{std::move(*hash), projections::password_mark(*found)};
}

void record_use_of_key(ApiContext& context, const std::string& key) {
  v1::RecordUse use;
  use.set_key_pair(key);
  record_use(context, std::move(use));
}

}  // namespace berth::controller::api
