#include <set>

#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "controller/decide/producers/check_producer.h"
#include "controller/decide/session_end.h"
#include "events/base/text.h"

namespace berth::controller {
namespace {

using projections::Noun;
using projections::SessionRow;
using projections::Verb;

constexpr int kSessionsMax = 500;  // of one decision

// The session of that id, if whoever asks may see it.
const SessionRow* find_seen(const DecisionContext& c, const v1::Request& request, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  const SessionRow* session = id ? c.state.sessions.find(SessionId(*id)) : nullptr;
  if (session == nullptr) return nullptr;
  const v1::Owner& owner = session->owner->owner;
  const bool others = !request.owner().user().empty() && request.owner().user() != owner.user();
  const bool seen = c.actor ? may_see(c, *session) : !others;
  return seen && may_act_on(c, request, owner) ? session : nullptr;
}

std::string reason_of(const std::string& reason) {
  return reason.empty() ? projections::end_reason::kUserRequested : clipped(reason, kEndReasonMax);
}

bool is_ending(const SessionRow& session, bool forced) { return session.terminating && !forced; }

}  // namespace

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::TerminateSession& body) {
  const SessionRow* session = find_seen(c, request, body.session_id());
  if (session == nullptr) return unknown_session();
  if (!allowed(c, Noun::kSession, Verb::kEnd, session->owner->owner))
    return denied("you may see session " + session->name + ", and not end it");
  if (projections::is_end(session->status))
    return Refusal{"session-ended", "session " + session->name + " has ended already", ""};
  if (is_ending(*session, body.forced()))
    return Refusal{"session-terminating", "session " + session->name + " is ending already",
                   "--force shows it as ended at once"};
  EventList events;
  end_session(c, *session, reason_of(body.reason()), body.forced(), events);
  return events;
}

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::TerminateSessions& body) {
  if (body.session_ids_size() > kSessionsMax)
    return Refusal{"request-too-large", "more than 500 sessions in one request", "end them in several"};
  DecisionContext short_stamp = c;  // the sessions have the reason, and the record so has room for them all
  short_stamp.stamp.reason.clear();
  short_stamp.stamp.trace.clear();
  std::set<SessionId> seen;
  EventList events;
  for (const std::string& id : body.session_ids()) {
    const SessionRow* session = find_seen(c, request, id);
    if (session == nullptr || !allowed(c, Noun::kSession, Verb::kEnd, session->owner->owner)) continue;
    if (projections::is_end(session->status) || is_ending(*session, body.forced())) continue;
    if (seen.insert(session->id).second)
      end_session(short_stamp, *session, reason_of(body.reason()), body.forced(), events);
  }
  if (events.empty())
    return Refusal{"nothing-to-end", "none of these sessions is yours to end and still lives", ""};
  return events;
}

}  // namespace berth::controller
