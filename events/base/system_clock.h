#pragma once

#include "events/base/clock.h"

namespace berth {

// The machine's own clocks. For edges only; the lint keeps pure folders from including this header.
class SystemClock final : public Clock {
 public:
  Instant now() const override;
};

}  // namespace berth
