#include "projections/session_access.h"

#include <algorithm>

#include "projections/shared_today.h"
#include "projections/shared_with.h"

namespace berth::projections {

bool is_shared_with(const Actor& actor, const v1::Owner& owner, const SessionShareRow* shares) {
  return shares != nullptr && owner.user() != actor.user && counts_today(actor, shares->session.view()) &&
         std::ranges::any_of(shares->shares, [&](const SessionShare& share) {
           return is_shared_with(actor, share.scope, share.id);
         });
}

bool may_see_session(const Actor& actor, const v1::Owner& owner, const SessionShareRow* shares) {
  return may(actor, Noun::kSession, Verb::kSee, owner) || is_shared_with(actor, owner, shares);
}

bool may_act_in_session(const Actor& actor, Noun noun, const v1::Owner& owner,
                        const SessionShareRow* shares) {
  return may(actor, noun, Verb::kAct, owner) ||
         (reach(actor, noun, Verb::kAct) != Reach::kNone && is_shared_with(actor, owner, shares));
}

bool may_see_session(const State& state, const Actor& actor, const SessionRow& session) {
  return may_see_session(actor, session.owner->owner, state.session_shares.find(session.id));
}

bool may_act_in_session(const State& state, const Actor& actor, Noun noun, const SessionRow& session) {
  return may_act_in_session(actor, noun, session.owner->owner, state.session_shares.find(session.id));
}

std::vector<const SessionRow*> sessions_shared_with(const State& state, const Actor& actor) {
  std::vector<const SessionRow*> found;
  state.session_shares.for_each_unordered([&](const SessionShareRow& row) {
    const SessionRow* session = state.sessions.find(row.session);
    if (session != nullptr && is_shared_with(actor, session->owner->owner, &row)) found.push_back(session);
  });
  return found;
}

}  // namespace berth::projections
