// Rights over what has no owner of its own: limits, which are of a scope, and resource groups, which are open
// to some. Pure; callers hold the state's lock.
#pragma once

#include <string>

#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::projections {

// `scope`: "domain", "project" (its id is DOMAIN/NAME), "user" or "keypair". Of an id that does not exist,
// for whoever reaches all alone. A limit of a whole domain is changed by who may change domains; one of a
// user or key pair by nobody below the user's role, and by no user themselves but superadmins: it binds them.
bool may_see_limit(const State& state, const Actor& actor, const std::string& scope, const std::string& id);
bool may_change_limit(const State& state, const Actor& actor, const std::string& scope,
                      const std::string& id);

// Whether the actor knows of the group, in any of its projects.
bool sees_group(const Actor& actor, const v1::ResourceGroupDefined& group);
// An agent is known to whom its group is known. One that never joined is of no group.
bool sees_agent(const State& state, const Actor& actor, const AgentRow& agent);
// Whether the group takes sessions of the actor in this project (of the actor's domain, without its name).
bool is_open_to(const v1::ResourceGroupDefined& group, const Actor& actor, const std::string& project);

}  // namespace berth::projections
