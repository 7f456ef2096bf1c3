// What a person's browser is served: the console, and the API's description.
#include "controller/api/console/docs_page.h"
#include "controller/api/console/static_files.h"
#include "controller/api/inside/app_gate.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {
namespace {

void asset(const Services& services, const CallPtr& call, const Reply& reply) {
  if (const auto* file = services.console.find("assets/" + call->path[0]))
    return reply(file_reply(*file, call->request));
  reply(problem_reply(make_problem("no-such-route", "the console has no such file",
                                   "load the page again: it may be of an older server"),
                      *call));
}

// The pages below /session/ open apps: their forms go to the origins of apps.
std::string forms_to(const Services& services, const Call& call) {
  const auto& segments = call.target.segments;
  if (segments.size() < 2 || segments[0] != "session") return {};
  const Provenance from = services.sign_in.provenance_of(call.request);
  return services.apps.names.source_of_all(from.port, services.sign_in.is_tls(call.request),
                                           PublicNames().knows_host(from.host, from.port));
}

// A file at the top as it is named; every other path is the page that routes by itself.
void console(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto& segments = call->target.segments;
  const auto* file = segments.size() == 1 ? services.console.find(segments[0]) : nullptr;
  if (file == nullptr) file = services.console.find("index.html");
  if (file != nullptr) return reply(file_reply(*file, call->request, forms_to(services, *call)));
  reply(page_reply(200, no_console_page(services.context.facts().version)));
}

void docs(const Services&, const CallPtr&, const Reply& reply) { reply(page_reply(200, docs_page())); }

}  // namespace

std::vector<Route> console_routes() {
  return {{"GET", "/", "getConsole", console, Route::kPage},
          {"GET", "/assets/{file}", "getAsset", asset, Route::kPage},
          {"GET", "/docs", "getDocs", docs, Route::kOpen}};
}

}  // namespace berth::controller::api
