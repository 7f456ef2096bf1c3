// The resource indicator: two bars per slot for a user in a resource group. Pure; callers hold the state's
// lock.
//
//   U  = the user's reserved + used everywhere       Ug = the part of U in the group
//   R  = the amount that the user can still get in the group: the sum of free amounts on its agents
//        that are ALIVE and not draining, bounded by the user's limits
//   upper bar Ug / (Ug + R)        lower bar U / (U + R)
//
// Free = capacity - taken, place by place; an over-committed place has 0 free and takes nothing from others.
// PENDING sessions count 0; TERMINATING ones count until their end is confirmed.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>

#include "controller/api/map/slot_amounts.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

struct SlotBars {
  Amount reserved = 0;   // in the group: placed, not yet running
  Amount running = 0;    // in the group: RUNNING or ending
  Amount elsewhere = 0;  // the user's in other groups
  Amount remaining = 0;  // R
  Amount capacity = 0;   // of the group's agents that are ALIVE
  Amount in_group() const { return reserved + running; }
};

// An entry for every registered slot type.
std::map<std::string, SlotBars> indicator(const projections::State& state, const std::string& user,
                                          const std::string& group);

boost::json::array indicator_to_json(const SlotKinds& kinds, const std::map<std::string, SlotBars>& bars);

}  // namespace berth::controller::api
