// Presets, and which of them a user could start now: /v1/presets, /v1/resource/check-presets.
#include "controller/api/map/check_presets.h"
#include "controller/api/routes/define.h"
#include "controller/api/routes/page.h"
#include "controller/api/routes/user_in_group.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

void list_presets(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(services, call, reply, "presets", &projections::State::presets,
             [](const ListView& list, const projections::PresetRow& row) {
               return preset_to_json(list.kinds, row.def);
             });
}

void put_preset(const Services& services, const CallPtr& call, const Reply& reply) {
  define(
      services, call, reply,
      [](v1::Define& define, const json::object& body, const SlotKinds& kinds, Errors& errors) {
        *define.add_presets() = read_preset(body, kinds, errors);
        return define.presets(0).name();
      },
      [](const projections::State& state, const std::string& key, json::object& out) {
        if (const auto* row = state.presets.find(key))
          out["preset"] = preset_to_json(SlotKinds(state), row->def);
      });
}

// Of the caller; of anybody for who sees all, with that user's own domain and first project.
v1::Owner owner_of(const projections::State& state, const Caller& caller, const std::string& user) {
  v1::Owner owner = owner_of(caller);
  if (user == caller.user) return owner;
  owner.set_user(user);
  owner.clear_keypair();
  if (const auto* row = state.users.find(user)) {
    owner.set_domain(row->def.domain());
    owner.set_project(row->def.projects_size() > 0 ? row->def.projects(0) : std::string());
  }
  return owner;
}

void check(const Services& services, const CallPtr& call, const Reply& reply) {
  reply_for_user_in_group(
      services, call, reply,
      [&](const StateView& view, const std::string& user, const std::string& group, json::object& body) {
        const auto report = check_presets(view.state, owner_of(view.state, call->caller, user), group);
        for (auto& member : preset_report_to_json(SlotKinds(view.state), report))
          body[member.key()] = std::move(member.value());
      });
}

}  // namespace

std::vector<Route> preset_routes() {
  const Route::Need see{Noun::kPreset, Verb::kSee};
  const Route::Traits past_read{.past = Route::kPast, .producers = Route::kRead};
  return {{"GET", "/v1/presets", "listPresets", list_presets, see, past_read},
          {"POST", "/v1/presets", "putPreset", put_preset, {Noun::kPreset, Verb::kCreate}},
          {"GET", "/v1/resource/check-presets", "checkPresets", check, see, past_read}};
}

}  // namespace berth::controller::api
