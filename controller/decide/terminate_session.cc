#include "controller/decide/decide.h"

namespace berth::controller {
namespace {

using projections::SessionRow;

void cancel(DecisionContext& c, const SessionRow& session, const char* reason) {
  v1::Event e = c.event();
  e.mutable_session_cancelled()->set_session_id(std::string(session.id.view()));
  e.mutable_session_cancelled()->set_reason(reason);
  c.emit(std::move(e));
}

void terminate(DecisionContext& c, const SessionRow& session, const std::string& reason, bool forced) {
  v1::Event e = c.event();
  auto* t = e.mutable_session_terminating();
  t->set_session_id(std::string(session.id.view()));
  t->set_reason(reason);
  t->set_forced(forced);
  c.emit(std::move(e));
}

}  // namespace

std::optional<Refusal> decide(DecisionContext& c, const v1::Request& request,
                              const v1::TerminateSession& body) {
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
  if (projections::is_waiting(session->status))
    cancel(c, *session, projections::end_reason::kUserRequested);
  else
    terminate(c, *session, body.reason().empty() ? projections::end_reason::kUserRequested : body.reason(),
              body.forced());
  return std::nullopt;
}

void cancel_dependent(DecisionContext& c, const SessionRow& session) {
  cancel(c, session, projections::end_reason::kDependencyFailed);
}

void fire_timer(DecisionContext& c, const projections::Timer& timer) {
  const SessionRow* session = c.state.sessions.find(timer.session);
  if (session == nullptr) return;
  switch (timer.kind) {
    case projections::TimerKind::kPendingTimeout:
      cancel(c, *session, projections::end_reason::kPendingTimeout);
      break;
    case projections::TimerKind::kBatchTimeout:
      terminate(c, *session, projections::end_reason::kBatchTimeout, false);
      break;
    case projections::TimerKind::kStartTime: break;  // the scheduler's admission looks at the time itself
  }
}

}  // namespace berth::controller
