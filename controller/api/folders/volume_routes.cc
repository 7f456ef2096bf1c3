// GET /v1/volumes: where folders can lie.
#include "controller/api/map/folders/folder_json.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

// All at once: a cluster has a few.
void list_volumes(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const projections::Actor actor = actor_of(view.state, call->caller);
    json::array items;
    for (const VolumeId& id : view.state.volumes.sorted_keys())
      items.push_back(volume_to_json(view.state, *view.state.volumes.find(id), actor));
    out = json_reply(view, json::object{{"items", std::move(items)}, {"position", position_or_null(view)}});
  });
  reply(std::move(out));
}

}  // namespace

std::vector<Route> volume_routes() {
  const Route::Need see{projections::Noun::kVolume, projections::Verb::kSee};
  return {{"GET", "/v1/volumes", "listVolumes", list_volumes, see, {.past = Route::kPast}}};
}

}  // namespace berth::controller::api
