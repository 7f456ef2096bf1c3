// The ceiling of e2e: the same bytes through the same kind of log, and nobody decides anything.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/log/event_log.h"

namespace berth::bench {

struct CeilingLoad {
  std::uint64_t requests = 0;
  std::function<const std::string&(std::uint64_t)> payload;  // of the request
  std::vector<std::size_t> records;  // sizes of the journal's records that answered them
  std::uint64_t window = 0;          // requests ahead of their answers
};

// Sizes of the journal's payloads [from, to).
std::vector<std::size_t> record_sizes(EventLog& log, Offset from, Offset to);

// `log` is fresh. Seconds from the first request appended to the last journal byte read back.
double pass_through(EventLog& log, const CeilingLoad& load);

}  // namespace berth::bench
