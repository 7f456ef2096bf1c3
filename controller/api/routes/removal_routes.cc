// DELETE of a resource group, image, preset or agent: what nothing live uses. Its name is never given again.
#include "controller/api/routes/remove.h"

namespace berth::controller::api {
namespace {

using projections::Noun;
using projections::Verb;

void remove_group(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_GROUP, call->path[0], SessionsOf::kMany);
}

void remove_image(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_IMAGE, call->path[0], SessionsOf::kMany);
}

void remove_preset(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_PRESET, call->path[0], SessionsOf::kNone);
}

void remove_agent(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_AGENT, call->path[0], SessionsOf::kNone);
}

}  // namespace

std::vector<Route> removal_routes() {
  return {{"DELETE", "/v1/groups/{name}", "deleteGroup", remove_group, {Noun::kGroup, Verb::kEnd}},
          {"DELETE", "/v1/images/{reference}", "deleteImage", remove_image, {Noun::kImage, Verb::kEnd}},
          {"DELETE", "/v1/presets/{name}", "deletePreset", remove_preset, {Noun::kPreset, Verb::kEnd}},
          {"DELETE", "/v1/agents/{agent}", "deleteAgent", remove_agent, {Noun::kAgent, Verb::kEnd}}};
}

}  // namespace berth::controller::api
