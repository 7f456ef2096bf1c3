#include "events/log/memory_faults.h"

#include <vector>

#include "events/log/log_errors.h"

namespace berth {
namespace {

Error lost_connection() {
  return make_error(kLogUnavailable, "the connection to the log was lost", "read to see what became of it");
}

bool advance_stray(MemoryLogServer& server, std::uint64_t id, std::uint64_t draw,
                   const MemoryLogFaults& faults) {
  if (draw < faults.stray_lands) return server.land(id);
  if (draw < faults.stray_lands + faults.stray_drops) return server.drop(id);
  return false;
}

bool advance_waited_for(MemoryLogServer& server, const InFlight& append, std::uint64_t draw,
                        const MemoryLogFaults& faults) {
  const std::uint64_t id = append.id;
  const bool landed = append.phase == InFlightPhase::kLanded;
  std::uint64_t below = faults.progress;
  if (draw < below) return landed ? server.acknowledge(id) : server.land(id);
  if (draw < (below += faults.fail))
    return !landed && server.report(id, AppendState::kFailed, lost_connection());
  if (draw < (below += faults.unknown)) return server.report(id, AppendState::kUnknown, lost_connection());
  if (draw < below + faults.duplicate) return landed && server.duplicate(id);
  return false;
}

}  // namespace

std::size_t advance(MemoryLogServer& server, Rng& rng, const MemoryLogFaults& faults) {
  std::vector<std::uint64_t> ids;  // callbacks may append and disconnect while we go through
  ids.reserve(server.in_flight().size());
  for (const InFlight& append : server.in_flight()) ids.push_back(append.id);
  std::size_t changed = 0;
  for (const std::uint64_t id : ids) {
    const InFlight* append = server.find_in_flight(id);
    if (append == nullptr) continue;
    const std::uint64_t draw = rng.below(1000);
    const bool stray = append->phase == InFlightPhase::kStray;
    changed +=
        stray ? advance_stray(server, id, draw, faults) : advance_waited_for(server, *append, draw, faults);
  }
  return changed;
}

}  // namespace berth
