// HeadReservation: when and where the head of a group with order backfill is to start. pass/backfill.h
// computes it.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/placement/model/model.h"

namespace berth::placement {

struct HeadReservation {
  SessionId head;
  Timestamp at = kNeverEnds;
  std::vector<KernelPlacement> kernels;  // empty: the head would not fit even then
  // The agents of the place at that time, with the head and the sessions that started beside it.
  struct Rest {
    AgentIndex agent = kNoAgent;
    std::vector<SlotCell> cells;
    std::uint32_t containers = 0;
  };
  std::vector<Rest> rests;
  std::uint64_t serial = 0;  // SessionClass::behind names a reservation by this
  // Sessions before the head that would not fit even when all live sessions have ended. Remembered, so that a
  // pass that continues with a new budget finds the same head and serial and does not start over for ever.
  std::vector<SessionId> hopeless;
  // The group's counters when this was computed: the reservation holds while they are unchanged.
  std::uint64_t gains = 0;
  std::uint64_t losses = 0;
};

}  // namespace berth::placement
