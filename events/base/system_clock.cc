#include "events/base/system_clock.h"

#include <ctime>
#include <fstream>

namespace berth {
namespace {

Timestamp read_clock(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<Timestamp>(ts.tv_sec) * kSecond + ts.tv_nsec;
}

}  // namespace

Uuid boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  file >> text;
  return Uuid::parse(text).value_or(Uuid{});
}

Instant SystemClock::now() const { return {read_clock(CLOCK_REALTIME), read_clock(CLOCK_BOOTTIME)}; }

}  // namespace berth
