// Agent rows as JSON, with the slots that are taken and the kernels that take them. Pure; callers hold the
// state's lock.
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/slot_amounts.h"
#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// With the kernels that the actor may see. How the machine is reached and what it runs is for those who see
// all: for others these members are null.
boost::json::object agent_to_json(const projections::State& state, const SlotKinds& kinds,
                                  const projections::AgentRow& agent, const projections::Actor& actor);

// Takes from an agent's JSON how its machine is reached and what runs there: for those who do not see all.
void hide_machine(boost::json::object& agent);

// "main1"; "kernel1" if the session's spec is not known.
std::string kernel_name(const projections::KernelRow& kernel);

// Whether the agent takes new kernels.
bool is_schedulable(const projections::AgentRow& agent);

// The agent's amount of each slot, devices included, in slot order.
std::vector<projections::SlotAmount> total_capacity(const projections::AgentRow& agent);
// The same of the amounts that are taken.
std::vector<projections::SlotAmount> total_taken(const projections::State& state,
                                                 const projections::AgentRow& agent);

}  // namespace berth::controller::api
