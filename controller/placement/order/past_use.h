// PastUse: what order fair-share goes by, with names, as people and scenario files see it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "events/base/usage_slices.h"

namespace berth::placement {

// What somebody used in a resource group, for order fair-share. Without days: it is known, and used nothing.
struct PastUse {
  std::string scope;                                                // "user"
  std::string id;                                                   // "alice"; a project is "D/P"
  std::map<std::int32_t, std::map<std::string, SlotSeconds>> days;  // since 1970; by slot
};

}  // namespace berth::placement
