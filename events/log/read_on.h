// Reads where the log is known to go on: what stands still is not taken for the end. Pure: the reader waits.
#pragma once

#include <cstddef>
#include <vector>

#include "events/log/event_log.h"

namespace berth {

// The next entries, at least one. Polls for about `patience` in all; a log that says at once that it is
// unavailable is asked as often, and so is given up sooner. REQUIRES: the log has entries at the reader's
// position. Codes: log-unavailable, also where no entry came; those of LogReader::poll.
Result<std::vector<LogEntry>> read_on(LogReader& reader, Duration patience, std::size_t max_entries,
                                      std::size_t max_bytes);

}  // namespace berth
