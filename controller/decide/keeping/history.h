// What history keeps.
#pragma once

#include <optional>

#include "controller/decide/context.h"
#include "controller/decide/decision.h"

namespace berth::controller {

// What has ended stays for so long at least: sessions leave the state for history before it.
inline constexpr Duration kHistoryKeptMin = 7 * 24 * kHour;
// By its rule history is pruned a day at a time, so that the log says it once a day.
inline constexpr Duration kPruneStep = 24 * kHour;

// Up to when history is to be pruned by its rule now; nullopt: there is nothing to prune.
std::optional<Timestamp> prune_due(const projections::State& state, Timestamp now);
// Prunes it.
EventList prune_by_rule(const DecisionContext& c);

}  // namespace berth::controller
