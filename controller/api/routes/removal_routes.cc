// DELETE of a resource group, image, preset or agent: what nothing live uses. Its name is never given again.
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {
namespace {

// What the path names and is not there is no resource, whatever another route makes of that code.
HttpReply reply_of(const Call& call, const RequestAnswer& answer) {
  if (!answer.problem) return json_reply(200, boost::json::object{{"position", answer.position}});
  Problem problem = *answer.problem;
  if (problem.code.starts_with("unknown-")) problem.status = 404;
  return problem_reply(problem, call);
}

void remove(const Services& services, const CallPtr& call, const Reply& reply, const char* kind) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  v1::Request request = request_of(services, *call);
  request.mutable_remove()->set_kind(kind);
  request.mutable_remove()->set_name(call->path[0]);
  services.asker.ask(request, [call, reply](const RequestAnswer& answer) {
    HttpReply out = reply_of(*call, answer);
    if (answer.replayed) out.set("Idempotency-Replayed", "true");
    reply(std::move(out));
  });
}

void remove_group(const Services& services, const CallPtr& call, const Reply& reply) {
  remove(services, call, reply, "group");
}

void remove_image(const Services& services, const CallPtr& call, const Reply& reply) {
  remove(services, call, reply, "image");
}

void remove_preset(const Services& services, const CallPtr& call, const Reply& reply) {
  remove(services, call, reply, "preset");
}

void remove_agent(const Services& services, const CallPtr& call, const Reply& reply) {
  remove(services, call, reply, "agent");
}

}  // namespace

std::vector<Route> removal_routes() {
  return {{"DELETE", "/v1/groups/{name}", "deleteGroup", Route::kSuperadmin, remove_group},
          {"DELETE", "/v1/images/{reference}", "deleteImage", Route::kSuperadmin, remove_image},
          {"DELETE", "/v1/presets/{name}", "deletePreset", Route::kSuperadmin, remove_preset},
          {"DELETE", "/v1/agents/{agent}", "deleteAgent", Route::kSuperadmin, remove_agent}};
}

}  // namespace berth::controller::api
