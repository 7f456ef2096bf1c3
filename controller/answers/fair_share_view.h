// What people see of order fair-share: a line for each domain, project and user that used something, waits or
// has a weight.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/placement/order/fair_share.h"
#include "controller/placement/order/past_use.h"
#include "projections/tables/state.h"

namespace berth::controller {

struct FairShareLine {
  std::string scope;  // "user"
  std::string id;     // "alice"; a project is "D/P"
  Amount weight = kUnit;
  std::vector<std::pair<std::string, SlotSeconds>> used;  // decayed, by slot name
  placement::Factor factor = 0;
  std::uint32_t rank = 0;  // from 1 in its scope, 1 comes first; equal ones share it
};

// By scope (domain, project, user), then rank, then id; none where the group has another order. Up to the
// last 5-minute boundary. Looks at all that lives: milliseconds on a large cell.
std::vector<FairShareLine> fair_share_lines(const projections::State& state, const std::string& group,
                                            Timestamp now);

// What fair-share goes by in each group that has this order, as a scenario file takes it. `group`: in that
// one alone; empty: in all.
std::map<std::string, std::vector<placement::PastUse>> past_use(const projections::State& state,
                                                                const std::string& group, Timestamp now);

// Six decimals, rounded down: "0.933032".
std::string factor_text(placement::Factor factor);

}  // namespace berth::controller
