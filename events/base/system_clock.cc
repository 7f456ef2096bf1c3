#include "events/base/system_clock.h"

#include <ctime>

namespace berth {
namespace {

Timestamp read_clock(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<Timestamp>(ts.tv_sec) * kSecond + ts.tv_nsec;
}

}  // namespace

Instant SystemClock::now() const { return {read_clock(CLOCK_REALTIME), read_clock(CLOCK_BOOTTIME)}; }

}  // namespace berth
