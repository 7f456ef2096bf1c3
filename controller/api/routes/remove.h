// DELETE of what decide removes: ?reason=, and ?end_sessions= of what sessions are of.
#pragma once

#include <cstdint>
#include <string>

#include "controller/api/routes/asker.h"

namespace berth::controller::api {

// Whether sessions can be of such a thing, and be ended with it.
enum class SessionsOf : std::uint8_t { kNone, kMany };

// `kind` and `name` as v1.Remove has them.
inline void remove_and_reply(const Services& services, const CallPtr& call, const Reply& reply,
                             v1::DefinitionKind kind, const std::string& name, SessionsOf sessions) {
  Errors errors;
  Query query(call->target, errors);
  v1::Request request = request_of(services, *call);
  request.set_reason(read_reason(query));
  request.mutable_remove()->set_kind(kind);
  request.mutable_remove()->set_name(name);
  if (sessions == SessionsOf::kMany)
    request.mutable_remove()->set_end_sessions(query.flag("end_sessions", false));
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  services.asker.ask(request, [call, reply](const RequestAnswer& answer) {
    HttpReply out = json_reply(200, boost::json::object{{"position", answer.position}});
    if (answer.problem) {  // what the path names and is not there is 404, whatever another route makes of it
      Problem problem = *answer.problem;
      if (problem.code.word().starts_with("unknown-")) problem.status = 404;
      out = problem_reply(problem, *call);
    }
    if (answer.replayed) out.set("Idempotency-Replayed", "true");
    reply(std::move(out));
  });
}

}  // namespace berth::controller::api
