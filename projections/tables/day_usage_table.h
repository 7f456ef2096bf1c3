// What was used in a resource group on a day, by domain, project and user: slots times the time they were
// held. Input of order fair-share.
//
// Only groups whose definition says so are summed up (sums_usage), so nobody else pays. A kernel counts when
// its slots are freed, from its session's placement on; what lives is not in here. Midnight is UTC's.
#pragma once

#include <string>
#include <vector>

#include "events/base/usage_slices.h"
#include "events/schema/v1/event.pb.h"

namespace berth::projections {

// Rows older than this many days are dropped, today counted; the longest lookback. Part of the rules.
inline constexpr std::int32_t kUsageKeptDays = 90;

// Two halves, since rows are stored as 64-bit integers.
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

// Ordered by past usage, or with settings for it already.
inline bool sums_usage(const v1::ResourceGroupDefined& group) {
  return group.order() == "fair-share" || group.has_fair_share();
}

}  // namespace berth::projections
