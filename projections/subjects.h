// Rights over what has no owner of its own: limits, which are of a scope, and resource groups, which are open
// to some. Pure; callers hold the state's lock.
#pragma once

#include <string>

#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::projections {

// `scope`: DOMAIN, PROJECT (its id is DOMAIN/NAME), USER or KEYPAIR. Of an id that does not exist,
// for whoever reaches all alone. A limit of a whole domain is changed by who may change domains; one of a
// user or key pair by nobody below the user's role, and by no user themselves but superadmins: it binds them.
// DOMAIN, PROJECT, USER: whose a group or a weight in a group can be.
bool is_group_scope(v1::ScopeKind scope);
// The same, and KEYPAIR.
bool is_limit_scope(v1::ScopeKind scope);

bool may_see_limit(const State& state, const Actor& actor, v1::ScopeKind scope, const std::string& id);
bool may_change_limit(const State& state, const Actor& actor, v1::ScopeKind scope, const std::string& id);

// Whether the actor knows of the group, in any of its projects.
bool sees_group(const Actor& actor, const v1::ResourceGroupDefined& group);
// An agent is known to whom its group is known. One that never joined is of no group.
bool sees_agent(const State& state, const Actor& actor, const AgentRow& agent);
// Whether the group takes sessions of the actor in this project (of the actor's domain, without its name).
bool is_open_to(const v1::ResourceGroupDefined& group, const Actor& actor, const std::string& project);

}  // namespace berth::projections
