// A session's owner shares it with users and projects: they see it and act in its kernels as the owner does.
// Shares end with the session, with whomever they name, and when they are withdrawn.
#include <algorithm>

#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "controller/decide/producers/check_producer.h"
#include "controller/decide/share_checks.h"
#include "projections/session_access.h"

namespace berth::controller {
namespace {

using projections::Noun;
using projections::SessionRow;
using projections::SessionShare;
using projections::SessionShareRow;
using projections::Verb;

// Whoever helps with a session may be of another domain.
bool is_superadmin(const DecisionContext& c, const v1::ShareSession& body) {
  const auto* user = body.scope() == v1::SCOPE_KIND_USER ? c.state.users.find(body.id()) : nullptr;
  return user != nullptr && user->def.role() == v1::ROLE_SUPERADMIN;
}

std::optional<Refusal> check_with(const DecisionContext& c, const SessionRow& session,
                                  const v1::ShareSession& body) {
  const v1::Owner& owner = session.owner->owner;
  if (!is_superadmin(c, body))
    if (auto refusal = check_share_with(c, owner.domain(), body.scope(), body.id())) return refusal;
  if (body.scope() != v1::SCOPE_KIND_USER) return std::nullopt;
  if (body.id() == owner.user())
    return Refusal{"invalid-value", "session " + session.name + " is user " + body.id() + "'s own", ""};
  const projections::Actor with = projections::actor_of(c.state.users.find(body.id())->def);
  if (reach(with, Noun::kTerminal, Verb::kAct) != projections::Reach::kNone) return std::nullopt;
  return Refusal{"invalid-value", "user " + body.id() + " is a monitor, who acts in no session",
                 "share it with somebody else"};
}

std::optional<Refusal> check_lives(const SessionRow& session) {
  if (projections::is_end(session.status))
    return Refusal{"session-ended", "session " + session.name + " has ended", "there is nothing to act in"};
  if (session.terminating)
    return Refusal{"session-terminating", "session " + session.name + " is ending",
                   "there is nothing to act in"};
  return std::nullopt;
}

std::optional<Refusal> check(const DecisionContext& c, const SessionRow& session,
                             const v1::ShareSession& body) {
  const SessionShareRow* row = c.state.session_shares.find(session.id);
  const bool is_known =
      row != nullptr && std::ranges::count(row->shares, SessionShare{body.scope(), body.id()}) != 0;
  if (is_known && body.withdraw()) return std::nullopt;
  if (auto refusal = check_with(c, session, body)) return refusal;
  if (body.withdraw()) return std::nullopt;
  if (auto refusal = check_lives(session)) return refusal;
  if (is_known || row == nullptr ||
      row->shares.size() < static_cast<std::size_t>(projections::kSessionSharesMax))
    return std::nullopt;
  return too_many_shares("session " + session.name, projections::kSessionSharesMax);
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::ShareSession& body) {
  const SessionRow* session = find_seen_session(c, body.session_id());
  if (session == nullptr || !may_act_on(c, request, session->owner->owner)) return unknown_session();
  if (!allowed(c, Noun::kSession, Verb::kChange, session->owner->owner))
    return denied("session " + session->name + " is not yours to share");
  if (auto refusal = check(c, *session, body)) return *refusal;
  EventList events;
  auto* shared = events.add(c.stamp).mutable_session_shared();
  shared->set_session_id(body.session_id());
  shared->set_scope(body.scope());
  shared->set_id(body.id());
  shared->set_withdrawn(body.withdraw());
  return events;
}

}  // namespace berth::controller
