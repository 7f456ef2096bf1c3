#include <algorithm>
#include <set>

#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "controller/decide/producers/check_producer.h"
#include "controller/decide/session_end.h"
#include "events/base/text.h"
#include "projections/session_filter.h"
#include "projections/tables/session_bounds.h"

namespace berth::controller {
namespace {

using projections::kEndsPerRequestMax;
using projections::Noun;
using projections::SessionRow;
using projections::Verb;

constexpr std::size_t kEndReasonMax = 128;  // bytes, of what the user says, where many sessions end

bool is_seen(const DecisionContext& c, const v1::Request& request, const SessionRow& session) {
  const v1::Owner& owner = session.owner->owner;
  const bool others = !request.owner().user().empty() && request.owner().user() != owner.user();
  const bool seen = c.actor ? may_see(c, session) : !others;
  return seen && may_act_on(c, request, owner);
}

// The session of that id, if whoever asks may see it.
const SessionRow* find_seen(const DecisionContext& c, const v1::Request& request, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  const SessionRow* session = id ? c.state.sessions.find(SessionId(*id)) : nullptr;
  return session != nullptr && is_seen(c, request, *session) ? session : nullptr;
}

bool may_end(const DecisionContext& c, const SessionRow& session) {
  return allowed(c, Noun::kSession, Verb::kEnd, session.owner->owner);
}

bool is_ending(const SessionRow& session, bool forced) { return session.terminating && !forced; }

// Those of the ids that live and are the actor's to end.
Decision end_all(const DecisionContext& c, const v1::Request& request, const std::vector<std::string>& ids) {
  const v1::TerminateSessions& body = request.terminate_sessions();
  DecisionContext short_stamp = c;  // so that the record has room for them all
  short_stamp.stamp.reason = clipped(c.stamp.reason, kEndReasonMax);
  short_stamp.stamp.trace.clear();
  std::set<SessionId> seen;
  EventList events;
  for (const std::string& id : ids) {
    const SessionRow* session = find_seen(c, request, id);
    if (session == nullptr || !may_end(c, *session)) continue;
    if (projections::is_end(session->status) || is_ending(*session, body.forced())) continue;
    if (seen.insert(session->id).second)
      end_session(short_stamp, *session, projections::end_reason::kUserRequested, body.forced(), events);
  }
  if (events.empty())
    return Refusal{"nothing-to-end", "none of these sessions is yours to end and still lives", ""};
  return events;
}

// Selects once and for all: sessions that come later, or change, are selected by no repeat and no later part.
Decision select_once(const DecisionContext& c, const v1::Request& request,
                     const v1::TerminateSessions& body) {
  const auto filter = projections::from_proto(body.filter());
  std::vector<const SessionRow*> found;
  c.state.sessions.for_each_unordered([&](const SessionRow& session) {
    if (!projections::is_end(session.status) && filter.matches(session) && is_seen(c, request, session) &&
        may_end(c, session))
      found.push_back(&session);
  });
  const std::string count = "the filter has " + std::to_string(found.size());
  if (found.size() > projections::kSelectedMax)
    return Refusal{"too-many-sessions",
                   count + " sessions, at most " + std::to_string(projections::kSelectedMax) + " end at once",
                   "narrow it"};
  if (found.size() != body.expected())
    return Refusal{"count-changed", count + " live sessions now, not " + std::to_string(body.expected()),
                   "look again, and send the count that you mean"};
  std::ranges::sort(found, {}, &SessionRow::created);
  EventList events;
  auto* begun = events.add(c.stamp).mutable_termination_begun();
  for (const SessionRow* session : found) begun->add_selected(std::string(session->id.view()));
  return events;
}

// A part of what the actor's earlier request selected.
Decision end_part(const DecisionContext& c, const v1::Request& request, const v1::TerminateSessions& body) {
  using projections::RequestRow;
  const auto id = Uuid::from_bytes(body.begun_by());
  const RequestRow* row = id ? c.state.requests.find(RequestRow::make_key(request.actor(), *id)) : nullptr;
  if (row == nullptr || row->selected.empty())
    return Refusal{"unknown-termination", "no request of yours with that id has selected sessions to end",
                   "a selection is kept for a day: ask again with a new key"};
  std::vector<std::string> ids;
  for (std::size_t at = body.from(); at < row->selected.size() && ids.size() < kEndsPerRequestMax; ++at)
    ids.emplace_back(row->selected[at].view());
  return end_all(c, request, ids);
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::TerminateSession& body) {
  const SessionRow* session = find_seen(c, request, body.session_id());
  if (session == nullptr) return unknown_session();
  if (!may_end(c, *session)) return denied("you may see session " + session->name + ", and not end it");
  if (projections::is_end(session->status))
    return Refusal{"session-ended", "session " + session->name + " has ended already", ""};
  if (is_ending(*session, body.forced()))
    return Refusal{"session-terminating", "session " + session->name + " is ending already",
                   "--force shows it as ended at once"};
  EventList events;
  end_session(c, *session, projections::end_reason::kUserRequested, body.forced(), events);
  return events;
}

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::TerminateSessions& body) {
  if (body.has_filter()) return select_once(c, request, body);
  if (!body.begun_by().empty()) return end_part(c, request, body);
  if (static_cast<std::size_t>(body.session_ids_size()) > kEndsPerRequestMax)
    return Refusal{"request-too-large", "more than 500 sessions in one request", "end them in several"};
  return end_all(c, request, {body.session_ids().begin(), body.session_ids().end()});
}

}  // namespace berth::controller
