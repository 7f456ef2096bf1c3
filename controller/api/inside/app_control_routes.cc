// /v1/sessions/{session}/apps, start, connect and DELETE: the apps that a session's image declares, run in
// its main1.
#include "controller/api/inside/app_list.h"
#include "controller/api/inside/connect_relay.h"
#include "controller/api/inside/relay.h"
#include "controller/api/inside/session_apps.h"
#include "controller/api/inside/way_in.h"

namespace berth::controller::api {
namespace {

using projections::Noun;
using projections::Verb;

constexpr const char* kMain = "main1";

bool is_without_parameters(const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  query.finish();
  if (errors.empty()) return true;
  reply(problem_reply(std::move(errors).take(), *call));
  return false;
}

struct FoundApps {
  std::vector<ImageApp> declared;
  std::optional<KernelPlace> kernel;  // if it runs
};

Result<FoundApps> find_apps(const StateView& view, const Call& call) {
  const auto session = find_session_to_act_in(view, call.caller, call.path[0], Noun::kTerminal);
  if (!session.ok()) return session.error();
  FoundApps out{apps_of(view.state, (*session)->id), std::nullopt};
  auto kernel = find_kernel_to_act_in(view, call.caller, call.path[0], kMain, Noun::kTerminal);
  if (kernel.ok()) out.kernel = std::move(kernel->place);
  return out;
}

void answer_app_list(const Services& services, const CallPtr& call, const Reply& reply) {
  if (!is_without_parameters(call, reply)) return;
  Result<FoundApps> found = make_error("internal-error", "no state");
  services.context.with_state([&](const StateView& view) { found = find_apps(view, *call); });
  if (!found.ok()) return refuse_entry(services, call, reply, found.error());
  list_apps(services, call, reply, found->declared, found->kernel);
}

void answer_app_end(const Services& services, const CallPtr& call, const Reply& reply) {
  if (!is_without_parameters(call, reply)) return;
  with_kernel(services, call, reply, Noun::kTerminal, kMain,
              [&](const FoundKernel& found) { end_app(services, call, reply, found.place, call->path[1]); });
}

std::vector<ImageApp> declared_in(const Services& services, const FoundKernel& found) {
  std::vector<ImageApp> apps;
  services.context.with_state(
      [&](const StateView& view) { apps = apps_of(view.state, found.facts.session); });
  return apps;
}

std::optional<Error> why_not_started(const ImageApp& app) {
  if (app.protocol == AppProtocol::kPty)
    return make_error("app-in-terminal", "app " + app.name + " runs in a terminal",
                      "berth session shell starts it");
  if (app.protocol == AppProtocol::kPreopen)
    return make_error("app-not-started-here",
                      "the session's own program starts app " + app.name + ", and it alone",
                      "open it: it is ready when somebody listens on its port");
  return std::nullopt;
}

void start_app(const Services& services, const CallPtr& call, const Reply& reply) {
  if (!is_without_parameters(call, reply) || refuses_stream(services, call, reply, false)) return;
  with_kernel(services, call, reply, Noun::kTerminal, kMain, [&](const FoundKernel& found) {
    const auto app = find_app(declared_in(services, found), call->path[1]);
    if (!app.ok()) return reply(problem_reply(to_problem(app.error()), *call));
    if (const auto why = why_not_started(*app)) return reply(problem_reply(to_problem(*why), *call));
    const InsideRelay::Wanted wanted{v1::WAY_KIND_APP, {call, found.facts.session, found.place}, *app};
    begin_stream(services, call, reply, std::make_shared<InsideRelay>(services, wanted), found.facts);
  });
}

void connect_app(const Services& services, const CallPtr& call, const Reply& reply) {
  if (!is_without_parameters(call, reply) || refuses_stream(services, call, reply, false)) return;
  with_kernel(services, call, reply, Noun::kTerminal, kMain, [&](const FoundKernel& found) {
    const auto address = address_of_app(declared_in(services, found), call->path[1]);
    if (!address.ok()) return reply(problem_reply(to_problem(address.error()), *call));
    const ConnectRelay::Wanted wanted{{call, found.facts.session, found.place}, call->path[1], *address};
    begin_stream(services, call, reply, std::make_shared<ConnectRelay>(services, wanted), found.facts);
  });
}

}  // namespace

std::vector<Route> app_control_routes() {
  const Route::Need act{Noun::kTerminal, Verb::kAct};
  return {{"GET", "/v1/sessions/{session}/apps", "listApps", answer_app_list, act},
          {"DELETE", "/v1/sessions/{session}/apps/{app}", "endApp", answer_app_end, act},
          {"GET", "/v1/sessions/{session}/apps/{app}/start", "startApp", start_app, act},
          {"GET", "/v1/sessions/{session}/apps/{app}/connect", "connectApp", connect_app, act}};
}

}  // namespace berth::controller::api
