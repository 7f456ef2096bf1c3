// What is shared with somebody now, for looks at the past: a share of then opens nothing once it is
// withdrawn. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::projections {

// Ids of sessions and folders, as bytes.
struct SharedToday {
  std::set<std::string, std::less<>> ids;
};

// `state`: of now, as the actor is.
SharedToday shared_today(const State& state, const Actor& actor);

// Whether a share of this session or folder may count for the actor.
bool counts_today(const Actor& actor, std::string_view id);

}  // namespace berth::projections
