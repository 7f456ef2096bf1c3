// Times and spans as Slurm writes and reads them. Pure.
#pragma once

#include <optional>
#include <string>

#include "ops/cli/exit_code.h"
#include "ops/cli/output/times.h"

namespace berth::cli::slurm {

// Of squeue: "0:05", "1:02:03", "2-01:02:03".
std::string span_text(Duration span);
// Of sacct: "00:00:05", "2-01:02:03".
std::string long_span_text(Duration span);
// "2026-01-31T18:00:00" of an RFC 3339 time in the reader's zone; "" of none.
std::string clock_text(const std::string& time, const UtcOffset& utc_offset);
// "Sat Jan 31 18:00:00 2026" in the reader's zone.
std::string date_text(Timestamp at, const UtcOffset& utc_offset);

// Of --time: "30" and "30:00" (minutes), "1:30:00", "2-12", "2-12:30", "2-12:30:00". nullopt: UNLIMITED,
// INFINITE and 0, no limit. Failures: usage.
Outcome<std::optional<Duration>> parse_limit(const std::string& text);
// Of --begin, --starttime and --endtime, in the reader's zone: "2026-01-31[T18:00[:00]]", "18:00" (the next
// one if `next`, else today's), "today", "now", "now+1hour", "now-2days"; and RFC 3339. Failures: usage.
Outcome<Timestamp> parse_moment(const std::string& option, const std::string& text, Timestamp now,
                                const UtcOffset& utc_offset, bool next);

}  // namespace berth::cli::slurm
