// Faults of a memory log, drawn from a seed. The simulator calls advance() between the steps of its
// processes.
#pragma once

#include <cstdint>

#include "events/base/random.h"
#include "events/log/memory_log.h"

namespace berth {

// Chances in 1,000, drawn for each append under way at each call of advance(). Otherwise the append waits
// (delay).
struct MemoryLogFaults {
  std::uint32_t progress = 700;     // queued -> landed, landed -> acknowledged
  std::uint32_t fail = 0;           // reported kFailed, never lands
  std::uint32_t unknown = 0;        // reported kUnknown; a stray from then on
  std::uint32_t duplicate = 0;      // landed once more
  std::uint32_t stray_lands = 200;  // a stray lands late: delayed, reordered
  std::uint32_t stray_drops = 200;  // a stray never lands: lost
};

// Draws once for each append in flight, in append order. Returns the number of changed appends.
std::size_t advance(MemoryLogServer& server, Rng& rng, const MemoryLogFaults& faults);

}  // namespace berth
