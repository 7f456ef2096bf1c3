// Admission: may this session be accepted at all? Pure.
//
// A session that does not fit now is accepted and waits (tests/BEHAVIOURS.md section 0): admission refuses
// what can never be right. It is the rulebook; the fold's net (projections/fold/net.h) holds what no event
// may do and knows none of these rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/base/refusal.h"
#include "projections/tables/session_bounds.h"
#include "projections/tables/state.h"

namespace berth::controller {

// Codes: invalid-name, name-in-use, id-in-use, unknown-group, unknown-image, unknown-slot, invalid-amount,
// invalid-spec, not-for-this-type, exclusive-slots, unknown-dependency, dependency-cycle,
// dependency-failed, limit-exceeded.
// `ahead`: equal sessions of the same request that come before it and are not in the state yet.
// REQUIRES: the spec has its defaults filled in (session_spec.h).
std::optional<Refusal> admit_session(const projections::State& state, const SessionId& id,
                                     const std::string& name, const v1::Owner& owner,
                                     const v1::SessionSpec& spec, std::uint32_t ahead = 0);

// May a session depend on the one of that name and type? `failed`: it has ended and did not succeed.
std::optional<Refusal> check_dependency(const std::string& name, v1::SessionType type, bool failed);

}  // namespace berth::controller
