// PastUse: the input of order fair-share with names, as people and scenario files see it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "controller/placement/order/fair_share.h"
#include "events/base/usage_slices.h"

namespace berth::placement {

// Past usage of a domain, project or user in a resource group. Without days: known, and nothing was used.
struct PastUse {
  ShareScope scope = ShareScope::kUser;
  std::string id;                                                   // "alice"; a project is "D/P"
  std::map<std::int32_t, std::map<std::string, SlotSeconds>> days;  // since 1970; by slot
};

}  // namespace berth::placement
