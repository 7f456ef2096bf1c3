#include "controller/decide/decide.h"
#include "controller/decide/session_end.h"
#include "events/base/text.h"

namespace berth::controller {
namespace {

constexpr std::size_t kReasonMax = 128;  // bytes

}  // namespace

using projections::SessionRow;

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::TerminateSession& body) {
  const auto id = Uuid::from_bytes(body.session_id());
  const SessionRow* session = id ? c.state.sessions.find(SessionId(*id)) : nullptr;
  if (session == nullptr) return Refusal{"unknown-session", "there is no such session", "berth session ls"};
  // 404 for what is not yours: the API checks it too, but a registered producer may come past it.
  if (!request.owner().user().empty() && request.owner().user() != session->owner->owner.user())
    return Refusal{"unknown-session", "there is no such session", "berth session ls"};
  if (projections::is_end(session->status))
    return Refusal{"session-ended", "session " + session->name + " has ended already", ""};
  if (session->terminating && !body.forced())
    return Refusal{"session-terminating", "session " + session->name + " is ending already",
                   "--force shows it as ended at once"};
  const std::string reason =
      body.reason().empty() ? projections::end_reason::kUserRequested : clipped(body.reason(), kReasonMax);
  if (projections::is_waiting(session->status)) return cancel(c, *session, reason);
  return terminate(c, *session, reason, body.forced());
}

}  // namespace berth::controller
