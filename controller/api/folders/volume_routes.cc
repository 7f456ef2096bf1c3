// GET, DELETE /v1/volumes: where folders can lie.
#include "controller/api/map/folders/folder_json.h"
#include "controller/api/map/folders/folder_lookup.h"
#include "controller/api/routes/asker.h"

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

// By its id a volume that is gone already is asked for all the same: a repeat has the first answer.
Result<VolumeId> volume_in_path(const Services& services, const std::string& id_or_name) {
  if (const auto id = id_of_hex(id_or_name)) return VolumeId(*id);
  Result<VolumeId> found = VolumeId();
  services.context.with_state([&](const StateView& view) {
    const auto row = find_volume(view.state, id_or_name);
    if (row.ok())
      found = (*row)->id;
    else
      found = row.error();
  });
  return found;
}

void forget_volume(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  v1::Request request = request_of(services, *call);
  request.set_reason(read_reason(query));
  const auto expected = query.integer("expected", 0, INT32_MAX);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto volume = volume_in_path(services, call->path[0]);
  if (!volume.ok()) return reply(problem_reply(to_problem(volume.error()), *call));
  request.mutable_forget_volume()->set_volume(std::string(volume->view()));
  request.mutable_forget_volume()->set_expected(static_cast<std::uint32_t>(expected.value_or(0)));
  ask_and_reply(services, call, reply, request, [](const RequestAnswer& answer) {
    return json_reply(200, json::object{{"position", answer.position}});
  });
}

}  // namespace

std::vector<Route> volume_routes() {
  const Route::Need see{projections::Noun::kVolume, projections::Verb::kSee};
  const Route::Need end{projections::Noun::kVolume, projections::Verb::kEnd};
  return {{"GET", "/v1/volumes", "listVolumes", list_volumes, see, {.past = Route::kPast}},
          {"DELETE", "/v1/volumes/{volume}", "forgetVolume", forget_volume, end}};
}

}  // namespace berth::controller::api
