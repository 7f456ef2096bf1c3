// The usage report: what was held, waited for and there in a window, exactly, from the rows of the usage
// view.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "projections/views/usage_rows.h"
#include "projections/views/view_reader.h"

namespace berth::projections {

enum class UsageBy : std::uint8_t { kUser, kProject, kDomain, kGroup, kAgent, kDevice };

struct UsageQuestion {
  Timestamp from = 0;  // the window is [from, to)
  Timestamp to = 0;
  UsageBy by = UsageBy::kUser;
  Duration step = 0;  // 0: one part, else kHour or 24 * kHour: cut at each such point of UTC
  std::function<bool(const UseSeries&)> takes;  // which series count
};

struct SlotTimes {
  SlotTime held = 0;
  SlotTime waiting = 0;   // of owners and groups
  SlotTime capacity = 0;  // of groups, agents and devices
};

struct UsageLine {
  std::map<std::string, SlotTimes> slots;
  WaitCounts waits;  // of sessions that got their place
};

struct UsagePart {
  Timestamp from = 0;
  Timestamp to = 0;
  // By "alice", "DOMAIN/PROJECT", "default", "a1", "a1/gpu0".
  std::map<std::string, UsageLine> lines;
};

struct UsageReport {
  Timestamp begins = 0;  // the first moment that is known; before it nothing was held
  std::vector<UsagePart> parts;
};

inline constexpr std::size_t kUsagePartsMax = 1'000;
inline constexpr std::size_t kUsageLinesMax = 20'000;  // of all parts together

// REQUIRES: from < to. Codes: too-many-parts, too-many-lines, store-corrupt, store-failed.
Result<UsageReport> usage_report(const ViewReader& reader, const UsageQuestion& question);

}  // namespace berth::projections
