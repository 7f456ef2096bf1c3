// Presets, and which of them a user could start now: /v1/presets, /v1/resource/check-presets.
#include "controller/api/asker.h"
#include "controller/api/call.h"
#include "controller/api/map/check_presets.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

void list_presets(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const SlotKinds kinds(view.state);
    json::array presets;
    for (const std::string& name : view.state.presets.sorted_keys())
      presets.push_back(preset_to_json(kinds, view.state.presets.find(name)->def));
    out = json_reply(view, json::object{{"presets", std::move(presets)}, {"position", position_or_null(view)}});
  });
  reply(std::move(out));
}

void put_preset(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  SlotKinds kinds;
  services.context.with_state([&](const StateView& view) { kinds = SlotKinds(view.state); });
  Errors errors;
  Query(call->target, errors).finish();
  v1::Request request = request_of(services, *call);
  const v1::PresetDefined preset = read_preset(*body, kinds, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  *request.mutable_define()->add_presets() = preset;
  ask_and_reply(services, call, reply, request, [kinds, preset](const Answer& answer) {
    return json_reply(answer.replayed ? 200 : 201,
                      json::object{{"preset", preset_to_json(kinds, preset)}, {"position", answer.position}});
  });
}

// Of the caller; of anybody for who sees all, with that user's own domain and first project.
v1::Owner owner_of(const projections::State& state, const Caller& caller, const std::string& user) {
  v1::Owner owner;
  owner.set_user(user);
  owner.set_domain(caller.domain);
  owner.set_project(caller.project);
  if (user == caller.user) {
    owner.set_keypair(caller.access_key);
  } else if (const auto* row = state.users.find(user)) {
    owner.set_domain(row->def.domain());
    owner.set_project(row->def.projects_size() > 0 ? row->def.projects(0) : std::string());
  }
  return owner;
}

void check(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const std::string group = query.text("group").value_or("default");
  std::string user = query.text("user").value_or(call->caller.user);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (!call->caller.sees_all()) user = call->caller.user;
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    if (view.state.groups.find(group) == nullptr) {
      Problem problem = make_problem("unknown-group", "no resource group is named '" + clipped(group) + "'", "berth group ls lists them");
      problem.status = 404;
      out = problem_reply(problem, *call);
      return;
    }
    json::object body = preset_report_to_json(SlotKinds(view.state),
                                              check_presets(view.state, owner_of(view.state, call->caller, user), group));
    body["group"] = group;
    body["user"] = user;
    body["position"] = position_or_null(view);
    out = json_reply(view, body);
  });
  reply(std::move(out));
}

}  // namespace

std::vector<Route> preset_routes() {
  return {{"GET", "/v1/presets", "listPresets", Route::kAnybody, list_presets},
          {"POST", "/v1/presets", "putPreset", Route::kSuperadmin, put_preset},
          {"GET", "/v1/resource/check-presets", "checkPresets", Route::kAnybody, check}};
}

}  // namespace berth::controller::api
