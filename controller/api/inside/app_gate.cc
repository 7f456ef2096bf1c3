#include "controller/api/inside/app_gate.h"

#include "controller/api/auth/cookie.h"
#include "controller/api/auth/lower_case.h"
#include "controller/api/console/static_files.h"
#include "controller/api/inside/app_routes.h"
#include "controller/api/login/by_cookie.h"
#include "controller/api/login/sign_in.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kCookiesTried = 16;
constexpr std::string_view kOpenHint = "open the app from the console again";

std::optional<Problem> check_own_origin(const Services& services, const HttpRequest& request,
                                        const AppId& app) {
  const bool tls = services.sign_in.is_tls(request);
  const std::string host = lower_case(services.sign_in.provenance_of(request).host);
  const std::string origin = lower_case(request.origin);
  if (!origin.empty() && (origin == (tls ? "https://" : "http://") + host ||
                          origin == services.apps.names.origin_of(app, request.port, tls, true)))
    return std::nullopt;
  return make_problem("foreign-origin", "a page of another origin asks this of the app",
                      "an app is used from its own pages");
}

// A browser brings an app's cookie to what pages of its neighbours ask for, too: those may lead to the app,
// and neither use its answers as their own nor show it within themselves.
std::optional<Problem> check_asking_page(const HttpRequest& request) {
  const std::string& site = request.sec_fetch_site;
  if (site.empty() || site == "same-origin" || site == "none") return std::nullopt;
  const bool leads_here = request.sec_fetch_mode == "navigate" &&
                          (request.sec_fetch_dest.empty() || request.sec_fetch_dest == "document");
  if (leads_here) return std::nullopt;
  return make_problem("foreign-origin", "a page of another origin asks for a part of the app",
                      "an app is used from its own pages");
}

std::optional<Problem> check_ticket_request(const Services& services, Call& call) {
  if (call.request.method != "POST")
    return make_problem("no-such-route", "there is nothing to be seen here", std::string(kOpenHint));
  const Provenance from = services.sign_in.provenance_of(call.request);
  if (from.origin.empty() || !services.sign_in.names.knows_origin(from.origin, from.port))
    return make_problem("foreign-origin", "an app is opened by a page of the console alone",
                        std::string(kOpenHint));
  if (call.request.body_bytes > kTicketBodyBytesMax && !call.request.in_chunks)
    return make_problem("body-too-large", "the body is larger than 4 KiB", "nothing unsigned needs more");
  call.route = &app_open_route();
  return std::nullopt;
}

std::vector<std::string_view> app_cookies(const Services& services, const HttpRequest& request) {
  return values_of_cookie(request.cookie, kept_name(kAppCookie, services.sign_in.is_tls(request)),
                          kCookiesTried);
}

std::string html_of(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

}  // namespace

bool is_on_app_origin(const Services& services, const HttpRequest& request) {
  return services.apps.names.is_of_apps(services.sign_in.provenance_of(request).host);
}

std::optional<Problem> check_app_request(const Services& services, Call& call) {
  const HttpRequest& request = call.request;
  const auto app = services.apps.names.find(services.sign_in.provenance_of(request).host, request.port);
  if (!app) return make_problem("misdirected-request", "this is the name of no app", std::string(kOpenHint));
  // A target that names a host could mean another than Host does; CONNECT and TRACE are of proxies.
  if (!request.target.starts_with('/') || request.method == "CONNECT" || request.method == "TRACE")
    return make_problem("malformed-request", "an app is asked for a path", "send GET /path");
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == kTicketPath) return check_ticket_request(services, call);
  if (path.starts_with("/.berth/"))
    return make_problem("no-such-route", "there is nothing at this address", std::string(kOpenHint));
  if (!request.is_safe() || !request.upgrade.empty())
    if (auto problem = check_own_origin(services, request, *app)) return problem;
  if (auto problem = check_asking_page(request)) return problem;

  Problem why =
      make_problem("app-not-open", "this browser was not let into this app", std::string(kOpenHint));
  // A page of another app may plant cookies of any name, so that several may stand here: one that is right is
  // enough.
  for (const std::string_view cookie : app_cookies(services, request)) {
    const auto pass = services.context.app_passes().open(AppPassSeal::Kind::kCookie, cookie);
    if (!pass.ok() || pass->app != *app || pass->until <= services.context.now()) continue;
    auto kernel = find_app_kernel(services, *pass);
    if (!kernel.ok()) {
      why = to_problem(kernel.error());
      continue;
    }
    call.caller = kernel->facts.caller;
    call.entry = std::make_shared<AppEntry>(AppEntry{*app, std::move(*kernel), pass->console});
    return std::nullopt;
  }
  return why;
}

Result<FoundKernel> find_app_kernel(const Services& services, const AppPass& pass) {
  const Timestamp now = services.context.now();
  Result<FoundKernel> found =
      make_error("signed-out", "this browser is not signed in any more", "sign in again, and open the app");
  Timestamp recorded = 0;  // use
  services.context.with_state([&](const StateView& view) {
    const auto* row = view.state.browser_sessions.find(pass.browser_session);
    const auto* user = view.state.users.find(pass.user);
    if (row == nullptr || row->user != pass.user || user == nullptr || user->def.disabled()) return;
    if (end_of(*row, services.sign_in.options.idle) <= now) return;
    Caller caller;
    caller.browser_session = row->id;
    recorded = row->used_at;
    read_user(view.state, row->user, caller);
    found = find_kernel_to_act_in(view, caller, to_string(pass.app.session), "main1",
                                  projections::Noun::kTerminal);
  });
  if (!found.ok()) return found;
  found->facts.used_at = now;
  record_use_of_browser(services, pass.browser_session, recorded);
  return found;
}

std::string console_page(const std::string& console, const AppId& app) {
  return console + "/session/" + to_string(app.session) + "/app/" + app.app;
}

std::string console_page(const Services& services, const HttpRequest& request) {
  const auto app = services.apps.names.find(services.sign_in.provenance_of(request).host, request.port);
  if (!app) return {};
  // A cookie that opens nothing any more still says where it came from.
  for (const std::string_view cookie : app_cookies(services, request)) {
    const auto pass = services.context.app_passes().open(AppPassSeal::Kind::kCookie, cookie);
    if (pass.ok() && pass->app == *app) return console_page(pass->console, *app);
  }
  return console_page(services.sign_in.origin_for(request), *app);
}

HttpReply app_problem_page(const Problem& problem, const std::string& request_id,
                           const std::string& way_back) {
  const std::string link =
      way_back.empty() ? "" : "</p>\n<p><a href=\"" + html_of(way_back) + "\">Open it from the console</a>";
  HttpReply reply = page_reply(
      problem.status, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Berth</title>\n<h1>" +
                          html_of(problem.detail) + "</h1>\n<p>" + html_of(problem.hint) + link +
                          "</p>\n<p><small>" + html_of(problem.code.word()) + " " + html_of(request_id) +
                          "</small></p>\n</html>\n");
  if (problem.retry_after_s > 0) reply.set("Retry-After", std::to_string(problem.retry_after_s));
  return reply;
}

}  // namespace berth::controller::api
