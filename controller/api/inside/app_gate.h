// AppGate: what stands on the origins of apps before an app: which app a Host means, and whom its cookie lets
// in. The proxy is the only guard of an app, so everything is checked at each request, against the state.
#pragma once

#include <memory>
#include <string>

#include "controller/api/apps/app_names.h"
#include "controller/api/apps/app_pass.h"
#include "controller/api/inside/find_kernel.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {

// Thread-safe.
struct AppGate {
  // `origin`: of origin_of_url(), below which apps have names; empty: names below localhost alone.
  AppGate(std::string_view origin, Timestamp boottime) : names(origin), tickets(boottime) {}

  const AppNames names;
  UsedTickets tickets;
};

// What a request on the origin of an app was let into.
struct AppEntry {
  AppId app;
  FoundKernel kernel;
  std::string console;  // the origin from which the browser opened the app
};

// Whether the Host is for apps alone, right or wrong.
bool is_on_app_origin(const Services& services, const HttpRequest& request);

// Decides about a request there: it sets the call's entry, or its route, which exchanges a ticket for the
// cookie. Codes: misdirected-request, foreign-origin, no-such-route, app-not-open (no cookie opens this app),
// signed-out, and those of find_kernel_to_act_in().
std::optional<Problem> check_app_request(const Services& services, Call& call);

// Whom a pass is of, as the state has it now, and the kernel that it is good for. It is a use of the browser
// session. Codes as above.
Result<FoundKernel> find_app_kernel(const Services& services, const AppPass& pass);

// The console's page of an app, which starts and opens it. `console`: its origin.
std::string console_page(const std::string& console, const AppId& app);
// The same of the app that a request on its origin is for, by what its cookies say of the console, else by
// this server's own name; empty: of no app.
std::string console_page(const Services& services, const HttpRequest& request);

// The problem for people: a page without scripts. `way_back`: of console_page(); empty: none is known.
HttpReply app_problem_page(const Problem& problem, const std::string& request_id,
                           const std::string& way_back);

}  // namespace berth::controller::api
