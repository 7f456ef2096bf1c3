// How a browser gets into an app: POST /v1/sessions/{session}/apps/{app}/open on the console's origin makes a
// ticket, and POST /.berth/open on the app's exchanges it for a cookie.
#include "controller/api/inside/app_routes.h"

#include <charconv>

#include "controller/api/inside/app_gate.h"
#include "controller/api/inside/opening.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/map/time_text.h"

namespace berth::controller::api {
namespace {

// A name, or the number of a port.
bool is_app(const std::string& app) {
  if (!is_app_name(app)) return false;
  if (app.find_first_not_of("0123456789") != std::string::npos) return true;
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(app.data(), app.data() + app.size(), port);
  return parsed.ec == std::errc() && port != 0 && std::to_string(port) == app;
}

void make_ticket(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto refuse = [&](const Problem& problem) { reply(problem_reply(problem, *call)); };
  if (!read_body(call, reply, [](ObjectReader&) {})) return;
  const std::string& app = call->path[1];
  if (!is_app(app))
    return refuse(make_problem("invalid-name", "'" + clipped(app) + "' is neither an app nor a port",
                               "an app has letters, digits and '-'; a port is a number from 1 to 65535"));
  if (!call->cookie)
    return refuse(make_problem("denied", "an app opens in a browser that is signed in",
                               "sign in to the console and open the app there"));
  Result<FoundKernel> found = make_error("internal-error", "no state");
  Timestamp until = 0;
  services.context.with_state([&](const StateView& view) {
    found = find_kernel_to_act_in(view, call->caller, call->path[0], "main1", projections::Noun::kTerminal);
    until = signed_in_until(view.state, call->caller);
  });
  if (!found.ok()) return refuse(to_problem(found.error()));
  const Provenance from = services.sign_in.provenance_of(call->request);
  const bool tls = services.sign_in.is_tls(call->request);
  const AppId id{app, found->facts.session};
  const std::string origin =
      services.apps.names.origin_of(id, from.port, tls, PublicNames().knows_host(from.host, from.port));
  if (origin.empty())
    return refuse(make_problem("no-app-origin", "apps have no names of their own on this server",
                               "start it with --app-domain URL, to which a wildcard name leads, or use it by "
                               "localhost"));
  const Timestamp end = services.context.clock().now().wall + UsedTickets::kLifetime;
  const AppPass pass{services.context.new_id(), call->caller.browser_session, call->caller.user, id, end};
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
  const auto refuse = [call, reply](const Error& error) {
    reply(app_problem_page(to_problem(error), to_string(call->id)));
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
  if (const auto used = services.apps.tickets.use(*ticket, services.context.clock().now().wall); !used.ok())
    return refuse(used.error());
  call->caller = kernel->facts.caller;
  AppPass pass = *ticket;
  pass.id = services.context.new_id();
  services.context.with_state(
      [&](const StateView& view) { pass.until = signed_in_until(view.state, call->caller); });
  const bool tls = services.sign_in.is_tls(call->request);
  record_opening(services, call, {app->session, kernel->facts.kernel, "app", app->app},
                 [services, reply, refuse, pass, tls](const std::optional<Error>& refused) {
                   if (refused) return refuse(*refused);
                   HttpReply out;
                   out.status = 303;
                   out.set("Location", "/");
                   out.set("Set-Cookie",
                           std::string(kAppCookie) + "=" +
                               services.context.app_passes().seal(AppPassSeal::Kind::kCookie, pass) +
                               "; HttpOnly" + (tls ? "; Secure" : "") + "; SameSite=Lax; Path=/");
                   reply(std::move(out));
                 });
}

}  // namespace

const Route& app_open_route() {
  static const Route route{"POST", "/.berth/open", "exchangeTicket", Route::kOpen, take_ticket};
  return route;
}

std::vector<Route> app_routes() {
  return {{"POST",
           "/v1/sessions/{session}/apps/{app}/open",
           "openApp",
           Route::kAnybody,
           make_ticket,
           {{projections::Noun::kTerminal, projections::Verb::kAct}}}};
}

}  // namespace berth::controller::api
