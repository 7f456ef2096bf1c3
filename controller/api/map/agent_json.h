// Agent rows as JSON, with what is taken and by whom. Pure; callers hold the state's lock.
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/slot_amounts.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

boost::json::object agent_to_json(const projections::State& state, const SlotKinds& kinds,
                                  const projections::AgentRow& agent);

// May it take something new?
bool is_schedulable(const projections::AgentRow& agent);

// All that it has of each slot, devices included, in slot order.
std::vector<projections::SlotAmount> total_capacity(const projections::AgentRow& agent);
// The same of what is taken.
std::vector<projections::SlotAmount> total_taken(const projections::State& state,
                                                 const projections::AgentRow& agent);

}  // namespace berth::controller::api
