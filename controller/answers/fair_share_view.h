// Order fair-share for people: a line for each domain, project and user that used something, waits or has a
// weight.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/placement/order/fair_share.h"
#include "controller/placement/order/past_use.h"
#include "projections/tables/state.h"

namespace berth::controller {

struct FairShareLine {
  v1::ScopeKind scope = v1::SCOPE_KIND_UNSPECIFIED;
  std::string id;  // "alice"; a project is "D/P"
  Amount weight = kUnit;
  std::vector<std::pair<std::string, SlotSeconds>> used;  // decayed, by slot name
  placement::Factor factor = 0;
  std::uint32_t rank = 0;  // from 1 in its scope, 1 comes first; equal ones share it
};

// By scope (domain, project, user), then rank, then id; none if the group has another order. Usage counts up
// to the last 5-minute boundary. Looks at all live kernels: milliseconds on a large cell.
std::vector<FairShareLine> fair_share_lines(const projections::State& state, const std::string& group,
                                            Timestamp now);

// The past usage that fair-share goes by, in the form of a scenario file, for each group with this order.
// `group`: only that one; empty: all.
std::map<std::string, std::vector<placement::PastUse>> past_use(const projections::State& state,
                                                                const std::string& group, Timestamp now);

// Six decimals, rounded down: "0.933032".
std::string factor_text(placement::Factor factor);

}  // namespace berth::controller
