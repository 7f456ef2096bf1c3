// The usage report as JSON and as CSV. Pure.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "controller/api/map/slot_amounts.h"
#include "projections/views/usage_report.h"

namespace berth::controller::api {

// "7200.5": an amount times seconds, exactly; micro-units of a count, bytes else.
std::string slot_seconds_text(const SlotKinds& kinds, std::string_view slot, projections::SlotTime time);

const char* name_of(projections::UsageBy by);  // "user"
std::optional<projections::UsageBy> usage_by(std::string_view name);

// All parts of a report as one.
std::map<std::string, projections::UsageLine> total_lines(const projections::UsageReport& report);

// What each line held and waited, in all, in each part where there are steps. `groups`: the same window by
// group, for what was there to be had.
boost::json::object usage_to_json(const SlotKinds& kinds, const projections::UsageQuestion& question,
                                  const projections::UsageReport& report,
                                  const projections::UsageReport& groups);

// A line for each part and key: from, to, the key, sessions, waits in milliseconds, then a column a slot.
std::string usage_to_csv(const SlotKinds& kinds, const projections::UsageQuestion& question,
                         const projections::UsageReport& report);

}  // namespace berth::controller::api
