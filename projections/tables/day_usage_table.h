// What was used in a resource group on a day, by domain, project and user: slots times the time for which
// they were held. Order fair-share ranks by it.
//
// Usage is recorded only in groups whose definition asks for it (sums_usage). A kernel is counted when its
// slots come free, from its session's placement on; kernels that hold slots are not counted yet. Days are
// UTC's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/usage_slices.h"
#include "events/schema/v1/event.pb.h"

namespace berth::projections {

// Rows of more days than these, today included, are dropped: the longest lookback. Part of the rules.
inline constexpr std::int32_t kUsageKeptDays = 90;

// In two halves, since rows hold integers of 64 bits.
struct SlotUse {
  std::string slot;
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  template <class V> void fields(V& v) {
    v(1, slot);
    v(2, high);
    v(3, low);
  }
  SlotSeconds seconds() const { return static_cast<SlotSeconds>(high) << 64 | low; }
  void set(SlotSeconds seconds) {
    high = static_cast<std::uint64_t>(seconds >> 64);
    low = static_cast<std::uint64_t>(seconds);
  }
};

struct DayUsageRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 19;

  std::string group;
  std::string scope;           // "domain/D", "project/D/P", "user/U", as limits are keyed
  std::int32_t day = 0;        // since 1970-01-01
  std::vector<SlotUse> slots;  // by name

  Key key() const { return make_key(group, scope, day); }
  static Key make_key(const std::string& group, const std::string& scope, std::int32_t day) {
    return group + '\0' + scope + '\0' + std::to_string(day);
  }
  template <class V> void fields(V& v) {
    v(1, group);
    v(2, scope);
    v(3, day);
    v(4, slots);
  }

  void add(const std::string& slot, SlotSeconds seconds);
};

// Whether the group is ordered by past usage, or has settings for that order.
inline bool sums_usage(const v1::ResourceGroupDefined& group) {
  return group.order() == "fair-share" || group.has_fair_share();
}

}  // namespace berth::projections
