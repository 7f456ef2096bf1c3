#pragma once

#include "events/base/clock.h"
#include "events/base/uuid.h"

namespace berth {

// The machine's own clocks. For edges only; the lint keeps pure folders from including this header.
class SystemClock final : public Clock {
 public:
  Instant now() const override;
};

// Of this machine, since it was started; nil where the system has none.
Uuid boot_id();

}  // namespace berth
