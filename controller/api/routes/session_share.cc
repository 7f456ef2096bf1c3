#include "controller/api/routes/session_share.h"

#include "controller/api/map/folders/share_request.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/session_writes.h"

namespace berth::controller::api {
void share_session(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  Errors errors;
  Query query(call->target, errors);
  v1::Request request = request_of(services, *call);
  request.set_reason(read_reason(query));
  query.finish();
  ObjectReader in(*body, "", errors);
  const ShareWith with = read_share_with(in, call->caller.domain);
  v1::ShareSession& share = *request.mutable_share_session();
  share.set_scope(with.scope);
  share.set_id(with.id);
  share.set_withdraw(in.boolean("withdraw").value_or(false));
  in.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  std::optional<Error> not_found;
  SessionId id;
  services.context.with_state([&](const StateView& view) {
    const auto session = session_to_change(view.state, call->caller, call->path[0]);
    if (session.ok())
      id = *session;
    else
      not_found = session.error();
  });
  if (not_found) return reply(problem_reply(to_problem(*not_found), *call));
  share.set_session_id(std::string(id.view()));
  ask_and_reply(services, call, reply, request, [services, call, id](const RequestAnswer& answer) {
    return session_changed(services, *call, id, answer);
  });
}

}  // namespace berth::controller::api
