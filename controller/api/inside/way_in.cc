#include "controller/api/inside/way_in.h"

#include <utility>

#include "controller/api/inside/upgrade.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/routes/past_session.h"

namespace berth::controller::api {
namespace {

std::optional<Problem> check_stream(const Services& services, const Call& call, bool reads) {
  if (auto problem = check_upgrade(call.request)) return problem;
  if (auto problem = check_stream_origin(services.sign_in.names, services.sign_in.provenance_of(call.request),
                                         call.cookie.has_value()))
    return problem;
  if (call.caller.read_only && !reads)
    return make_problem("key-read-only",
                        "this key pair reads, and programs and terminals change what they like",
                        "use another key pair");
  return std::nullopt;
}

}  // namespace

void with_kernel(const Services& services, const CallPtr& call, const Reply& reply, projections::Noun noun,
                 const std::string& kernel, const std::function<void(const FoundKernel&)>& go_on) {
  Result<FoundKernel> found = make_error("internal-error", "no state");
  services.context.with_state([&](const StateView& view) {
    found = find_kernel_to_act_in(view, call->caller, call->path[0], kernel, noun);
  });
  if (found.ok()) return go_on(*found);
  refuse_entry(services, call, reply, found.error());
}

void refuse_entry(const Services& services, const CallPtr& call, const Reply& reply, const Error& error) {
  if (!is_unknown_session(error)) return reply(problem_reply(to_problem(error), *call));
  take_turn(services, call, reply, Turns::Work::kShort, [services, call, reply, error] {
    const auto past = find_past(services, call->caller, call->path[0], error);
    reply(problem_reply(past.ok()
                            ? make_problem("session-ended", "session " + past->session.name + " has ended",
                                           "berth session logs shows what it wrote")
                            : to_problem(past.error()),
                        *call));
  });
}

bool refuses_stream(const Services& services, const CallPtr& call, const Reply& reply, bool reads) {
  const auto problem = check_stream(services, *call, reads);
  if (!problem) return false;
  HttpReply refusal = problem_reply(*problem, *call);
  if (problem->status == 426) {
    refusal.set("Upgrade", "websocket");
    refusal.set("Sec-WebSocket-Version", "13");
  }
  reply(std::move(refusal));
  return true;
}

void begin_stream(const Services& services, const CallPtr& call, const Reply& reply,
                  std::shared_ptr<StreamRelay> relay, const StreamFacts& facts) {
  if (const auto refused = services.streams.add(relay, facts))
    return reply(problem_reply(to_problem(*refused), *call));
  relay->begin();
  HttpReply out;
  out.status = 101;
  out.set("Sec-WebSocket-Protocol", kSubprotocol);
  out.relay = std::move(relay);
  reply(std::move(out));
}

}  // namespace berth::controller::api
