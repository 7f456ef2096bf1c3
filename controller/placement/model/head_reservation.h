// HeadReservation: when and where the head of a group with order backfill is to start. pass/backfill.h works
// it out.
#pragma once

#include <vector>

#include "controller/placement/model/model.h"

namespace berth::placement {

struct HeadReservation {
  SessionId head;
  Timestamp at = kNeverEnds;
  std::vector<KernelPlacement> kernels;  // empty: it would not fit even then
  // Agents of the place as they will be with the head in it, and with those that started beside it.
  struct Rest {
    AgentIndex agent = kNoAgent;
    std::vector<SlotCell> cells;
    std::uint32_t containers = 0;
  };
  std::vector<Rest> rests;
  std::uint64_t serial = 0;  // what SessionClass::behind means
  // Those before the head that would not fit even then. Remembered, so that a pass which goes on with a new
  // budget finds the same head and the same serial, instead of asking everybody behind it anew, for ever.
  std::vector<SessionId> hopeless;
  // The group's counters when it was worked out: it holds while they stand.
  std::uint64_t gains = 0;
  std::uint64_t losses = 0;
};

}  // namespace berth::placement
