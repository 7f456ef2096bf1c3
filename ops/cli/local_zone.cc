#include "ops/cli/local_zone.h"

#include <ctime>

namespace berth::cli {

Duration local_utc_offset(Timestamp at) {
  const std::time_t seconds = at / kSecond;
  std::tm local{};
  ::tzset();
  return ::localtime_r(&seconds, &local) == nullptr ? 0 : local.tm_gmtoff * kSecond;
}

}  // namespace berth::cli
