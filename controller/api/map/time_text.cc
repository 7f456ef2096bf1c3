#include "controller/api/map/time_text.h"

#include <algorithm>
#include <charconv>

namespace berth::controller::api {
namespace {

// As many digits as a number may have: some thirty years at most, as openapi.json says it.
struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
  std::size_t digits_max;
};
constexpr Unit kUnits[] = {{"ms", 1, 12},       {"s", 1000, 9},        {"", 1000, 9},
                           {"m", 60 * 1000, 7}, {"h", 3600 * 1000, 5}, {"d", 24 * 3600 * 1000, 4}};

}  // namespace

std::string format_milliseconds(Timestamp time) {
  const std::int64_t part = time % kSecond < 0 ? time % kSecond + kSecond : time % kSecond;
  const std::string decimals = std::to_string(1'000 + part / kMillisecond);
  std::string text = format_time(time - part);
  text.insert(text.size() - 1, "." + decimals.substr(1));
  return text;
}

std::string cluster_says(Timestamp now) { return "the cluster's time is " + format_second(now); }
std::string server_says(Timestamp now) { return "this server's clock says " + format_second(now); }

std::string format_duration_ms(std::int64_t milliseconds) {
  if (milliseconds % 1000 != 0) return std::to_string(milliseconds) + "ms";
  return std::to_string(milliseconds / 1000) + "s";
}

Result<std::int64_t> parse_duration_ms(std::string_view text) {
  auto invalid = [&](const std::string& why) {
    return make_error("invalid-value", "'" + std::string(text.substr(0, 40)) + "' is not a duration: " + why,
                      "write a number with ms, s, m, h or d, like 90s or 5m");
  };
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return invalid("it has no number");
  for (const Unit& unit : kUnits) {
    if (text.substr(digits) != unit.name) continue;
    if (digits > unit.digits_max)
      return invalid("its number has more than " + std::to_string(unit.digits_max) + " digits");
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + digits, number);
    return number * unit.milliseconds;
  }
  return invalid("its unit is unknown");
}

}  // namespace berth::controller::api
