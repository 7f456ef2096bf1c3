// The resource indicator: two bars per slot for a user in a resource group. Pure; callers hold the state's
// lock.
//
//   U  = the user's reserved + used everywhere       Ug = the part of it in the group
//   R  = what is still allocatable to the user in the group: the free of its agents that are ALIVE and not
//   draining (later
//        also bounded by what the user's limits leave)
//   upper bar Ug / (Ug + R)        lower bar U / (U + R)
//
// Free = capacity - taken, place by place; a place that is over-committed has 0 free and takes nothing from
// others. PENDING counts 0, TERMINATING counts until its end is confirmed.
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

// Every registered slot type has an entry, zeros present.
std::map<std::string, SlotBars> indicator(const projections::State& state, const std::string& user,
                                          const std::string& group);

boost::json::array indicator_to_json(const SlotKinds& kinds, const std::map<std::string, SlotBars>& bars);

}  // namespace berth::controller::api
