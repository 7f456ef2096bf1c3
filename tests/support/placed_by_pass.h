// A placement as a pass of the leader records it: with the ids that its kernels get, and where the pass
// began.
#pragma once

#include <string>

#include "projections/tables/position.h"
#include "tests/support/events.h"

namespace berth::testing {

v1::Event placed_by_pass(const std::string& session, const std::string& agent,
                         const projections::Position& pass);

}  // namespace berth::testing
