// Admission: may this session be accepted at all? One place, used by decide (to refuse) and by the fold (as a
// net).
//
// What merely does not fit now is accepted and waits (tests/BEHAVIOURS.md section 0): admission refuses only
// what can never be right.
#pragma once

#include <optional>
#include <string>

#include "events/base/name.h"
#include "events/base/refusal.h"
#include "projections/tables/state.h"

namespace berth::projections {

inline constexpr std::uint32_t kSessionsPerRequestMax = 100;
inline constexpr std::uint32_t kKernelsPerSessionMax = 256;
inline constexpr int kDependenciesMax = 64;
inline constexpr int kDesignatedMax = 64;
inline constexpr std::int32_t kJobPriorityMax = 1000;  // and at least its negative

// Codes: invalid-name, name-in-use, id-in-use, unknown-group, unknown-image, unknown-slot, invalid-amount,
// invalid-spec, not-for-this-type, exclusive-slots, unknown-dependency, dependency-cycle, limit-exceeded.
// `ahead`: equal sessions of the same request that come before it and are not in the state yet.
// REQUIRES: the spec has its defaults filled in.
std::optional<Refusal> admit_session(const State& state, const SessionId& id, const std::string& name,
                                     const v1::Owner& owner, const v1::SessionSpec& spec,
                                     std::uint32_t ahead = 0);

}  // namespace berth::projections
