// Who may do what with a session: by the table of rights, or because its owner shares it with them. Pure.
//
// A share lets somebody see the session, its log and its events, and act in its kernels as its owner does. It
// opens no environment, and lets nobody end the session or share it further. What the actor's role may do in
// no session at all, no share adds: a monitor acts in none.
#pragma once

#include <vector>

#include "projections/rights.h"
#include "projections/tables/session_share_table.h"
#include "projections/tables/state.h"

namespace berth::projections {

// Here and below `shares`: those of the session; nullptr: there are none. The session is not shared with its
// owner, who may be in a project that it is shared with.
bool is_shared_with(const Actor& actor, const v1::Owner& owner, const SessionShareRow* shares);

bool may_see_session(const Actor& actor, const v1::Owner& owner, const SessionShareRow* shares);
// REQUIRES: the noun is of what is done in kernels (kTerminal, kExec).
bool may_act_in_session(const Actor& actor, Noun noun, const v1::Owner& owner, const SessionShareRow* shares);

// The same of a session of the state.
bool may_see_session(const State& state, const Actor& actor, const SessionRow& session);
bool may_act_in_session(const State& state, const Actor& actor, Noun noun, const SessionRow& session);

// Those that are shared with the actor, in no order. Walks all that are shared with anybody.
std::vector<const SessionRow*> sessions_shared_with(const State& state, const Actor& actor);

}  // namespace berth::projections
