// How a browser gets into an app: POST /v1/sessions/{session}/apps/{app}/open on the console's origin makes a
// ticket, and POST /.berth/open on the app's exchanges it for a cookie.
#include "controller/api/inside/app_routes.h"

#include "controller/api/auth/cookie.h"
#include "controller/api/auth/lower_case.h"
#include "controller/api/inside/app_gate.h"
#include "controller/api/inside/opening.h"
#include "controller/api/inside/session_apps.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/map/time_text.h"

namespace berth::controller::api {
namespace {

// The page that asks for a ticket is of the console; an app's pages lead back there.
std::string console_of(const Services& services, const HttpRequest& request) {
  const Provenance from = services.sign_in.provenance_of(request);
  return from.origin.empty() ? services.sign_in.origin_for(request) : lower_case(from.origin);
}

// Where a browser's requests for the app go. Codes: those of address_of_app(), app-not-http.
Result<std::string> page_of(const std::vector<ImageApp>& apps, const std::string& app) {
  auto address = address_of_app(apps, app);
  const auto declared = find_app(apps, app);
  if (address.ok() && declared.ok() && declared->protocol == AppProtocol::kTcp)
    return make_error("app-not-http", "app " + app + " speaks no HTTP, and no browser opens it",
                      "berth app listen SESSION " + app);
  return address;
}

void make_ticket(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto refuse = [&](const Problem& problem) { reply(problem_reply(problem, *call)); };
  if (!read_body(call, reply, [](ObjectReader&) {})) return;
  const std::string& app = call->path[1];
  if (!call->cookie)
    return refuse(make_problem("denied", "an app opens in a browser that is signed in",
                               "sign in to the console and open the app there"));
  Result<FoundKernel> found = make_error("internal-error", "no state");
  Result<std::string> page = std::string();
  services.context.with_state([&](const StateView& view) {
    found = find_kernel_to_act_in(view, call->caller, call->path[0], "main1", projections::Noun::kTerminal);
    if (found.ok()) page = page_of(apps_of(view.state, found->facts.session), app);
  });
  if (!found.ok()) return refuse(to_problem(found.error()));
  if (!page.ok()) return refuse(to_problem(page.error()));
  const Provenance from = services.sign_in.provenance_of(call->request);
  const bool tls = services.sign_in.is_tls(call->request);
  const AppId id{app, found->facts.session};
  const std::string origin =
      services.apps.names.origin_of(id, from.port, tls, PublicNames().knows_host(from.host, from.port));
  if (origin.empty())
    return refuse(make_problem("no-app-origin", "apps have no names of their own on this server",
                               "start it with --app-domain URL, to which a wildcard name leads, or use it by "
                               "localhost"));
  const Timestamp end = services.context.now() + UsedTickets::kLifetime;
  const AppPass pass{
      services.context.new_id(),          call->caller.browser_session, call->caller.user, id, end,
      console_of(services, call->request)};
  reply(json_reply(200, {{"url", origin + "/"},
                         {"ticket", services.context.app_passes().seal(AppPassSeal::Kind::kTicket, pass)},
                         {"expires_at", format_time(end)}}));
}

// "ticket=TEXT", whose characters no form escapes.
std::optional<std::string> ticket_in(const HttpRequest& request) {
  constexpr std::string_view kField = "ticket=";
  if (!request.content_type.starts_with("application/x-www-form-urlencoded")) return std::nullopt;
  if (!request.body.starts_with(kField)) return std::nullopt;
  return request.body.substr(kField.size());
}

void take_ticket(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto refuse = [services, call, reply](const Error& error) {
    reply(app_problem_page(to_problem(error), to_string(call->id), console_page(services, call->request)));
  };
  const auto text = ticket_in(call->request);
  if (!text)
    return refuse(make_error("pass-invalid", "there is no ticket", "open the app from the console again"));
  const auto ticket = services.context.app_passes().open(AppPassSeal::Kind::kTicket, *text);
  if (!ticket.ok()) return refuse(ticket.error());
  const auto app =
      services.apps.names.find(services.sign_in.provenance_of(call->request).host, call->request.port);
  if (!app || ticket->app != *app)
    return refuse(
        make_error("pass-invalid", "this ticket is of another app", "open the app from the console again"));
  const auto kernel = find_app_kernel(services, *ticket);
  if (!kernel.ok()) return refuse(kernel.error());
  if (const auto used =
          services.apps.tickets.use(*ticket, services.context.now(), services.context.clock().now().boottime);
      !used.ok())
    return refuse(used.error());
  call->caller = kernel->facts.caller;
  AppPass pass = *ticket;
  pass.id = services.context.new_id();
  services.context.with_state(
      [&](const StateView& view) { pass.until = signed_in_until(view.state, call->caller); });
  const bool tls = services.sign_in.is_tls(call->request);
  record_opening(services, call, {app->session, kernel->facts.kernel, v1::WAY_KIND_APP, app->app},
                 [services, reply, refuse, pass, tls](const std::optional<Error>& refused) {
                   if (refused) return refuse(*refused);
                   HttpReply out;
                   out.status = 303;
                   out.set("Location", "/");
                   out.set("Set-Cookie",
                           kept_name(kAppCookie, tls) + "=" +
                               services.context.app_passes().seal(AppPassSeal::Kind::kCookie, pass) +
                               "; HttpOnly" + (tls ? "; Secure" : "") + "; SameSite=Lax; Path=/");
                   reply(std::move(out));
                 });
}

}  // namespace

const Route& app_open_route() {
  static const Route route{"POST", "/.berth/open", "exchangeTicket", take_ticket, Route::kOpen};
  return route;
}

std::vector<Route> app_routes() {
  const Route::Need act{projections::Noun::kTerminal, projections::Verb::kAct};
  return {{"POST", "/v1/sessions/{session}/apps/{app}/open", "openApp", make_ticket, act}};
}

}  // namespace berth::controller::api
