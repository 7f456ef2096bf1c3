// The seam at which a build with a bug is made for tests (tests/e2e/support/a_bug.cc); `berth` links
// no_bug.cc.
#pragma once

#include <functional>

#include "events/schema/v1/request.pb.h"

namespace berth {

// Requests about which this build decides what the fold forbids (P7). Empty: none.
std::function<bool(const v1::Request&)> bug_of_this_build();

}  // namespace berth
