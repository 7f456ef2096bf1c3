#include "events/log/read_on.h"

#include <utility>

#include "events/log/log_errors.h"

namespace berth {

Result<std::vector<LogEntry>> read_on(LogReader& reader, Duration patience, std::size_t max_entries,
                                      std::size_t max_bytes) {
  constexpr Duration kWait = 200 * kMillisecond;
  std::vector<LogEntry> entries;
  Error why = make_error(kLogUnavailable, "the log gives no record where it has some", "ask again");
  for (Duration waited = 0; waited < patience; waited += kWait) {
    auto polled = reader.poll(kWait, max_entries, max_bytes, entries);
    if (polled && !entries.empty()) return entries;
    if (!polled && !is_log_unavailable(polled.error())) return polled.error();
    if (!polled) why = polled.error();
  }
  return why;
}

}  // namespace berth
