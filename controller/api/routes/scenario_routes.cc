// GET /v1/scenario: the state as a scenario file, at one position of the journal.
#include "controller/answers/fair_share_view.h"
#include "controller/api/routes/call.h"
#include "controller/scenario/export.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

HttpReply exported(const Services& services, const Call& call, const std::string& group) {
  HttpReply out;
  const Timestamp now = services.context.now();
  services.context.with_state([&](const StateView& view) {
    placement::ExportOptions options;
    options.group = group;
    options.now = now;
    options.past_use = past_use(view.state, group, now);
    auto made = placement::export_scenario(view.state, options);
    if (!made.ok()) {
      Problem problem = to_problem(made.error());
      if (problem.code == "unknown-group") problem.status = 404;
      out = problem_reply(problem, call);
      return;
    }
    json::array notes(made->notes.begin(), made->notes.end());
    out = json_reply(view, json::object{{"scenario", std::move(made->scenario)},
                                        {"notes", std::move(notes)},
                                        {"position", position_or_null(view)}});
  });
  return out;
}

void scenario(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const auto group = query.text("group");
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  take_turn(services, call, reply, Turns::Work::kScan,
            [services, call, reply, group] { reply(exported(services, *call, group.value_or(""))); });
}

}  // namespace

std::vector<Route> scenario_routes() {
  const Route::Need see{Noun::kScenario, Verb::kSee};
  return {{"GET", "/v1/scenario", "exportScenario", scenario, see, {.past = Route::kPast}}};
}

}  // namespace berth::controller::api
