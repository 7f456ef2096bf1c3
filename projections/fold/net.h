// The second net (P7): what no event may do to the rows, whoever wrote the event.
//
// The net holds transitions, identity, references, ranges and capacity. It holds no business rule: quanta,
// limits, name patterns, shm against mem, exclusive slots and who may be preempted are decide's alone. So a
// business rule changes without new rules of the journal. Transitions and capacity are checked by the
// handlers (fold_*.cc).
#pragma once

#include "projections/fold/fold.h"

namespace berth::projections::net {

// Of a session's request: the id is new, the name is the owner's only live one, every row that the spec names
// exists (or the event's `met` names a dependency that ended in SUCCESS and left the state), there are 1 to
// 256 kernels with main first, amounts and times are in range and enums are known.
Forbidden check_request(const State& state, const SessionId& id, const v1::SessionRequested& e);

// Its domain, its projects and its role exist, and it administers projects of its own alone.
Forbidden check_user(const State& state, const v1::UserDefined& user);

// A definition of that kind and name exists, and nothing live is made of it: no session, of a group no agent,
// of a project no member, of a domain neither user nor project.
Forbidden check_removal(const State& state, v1::DefinitionKind kind, const std::string& name);

// It has the shape of a sealed value, and its key is not destroyed: a secret in force opens.
Forbidden check_sealed(const State& state, const v1::Sealed& sealed);

// Of a definition or an agent whose name was removed.
inline constexpr const char* kRetired = "the name was removed and is never given again";

// Every slot type exists, amounts are in range and the scope is known.
Forbidden check_limit(const State& state, const v1::LimitSet& limit);

// The scopes that it names are known.
Forbidden check_group(const v1::ResourceGroupDefined& group);

// It has a name and a generation, every request that it may ask is one that a producer may be given, its
// owners' scopes are known, and its token's hash has 16 bytes or there is none.
Forbidden check_producer(const v1::ProducerDefined& producer);

// The device shares of a kernel to be placed are of slots that it asked for, within what it asked for.
Forbidden check_shares(const KernelRow& kernel);

}  // namespace berth::projections::net
