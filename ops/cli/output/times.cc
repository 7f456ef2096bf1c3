#include "ops/cli/output/times.h"

#include <charconv>
#include <chrono>
#include <cstdio>

namespace berth::cli {
namespace {

std::string two(std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

}  // namespace

std::string format_duration(Duration duration) {
  if (duration < 0) return "-" + format_duration(-duration);
  if (duration < kSecond) return std::to_string(duration / kMillisecond) + "ms";
  const std::int64_t seconds = duration / kSecond;
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m" + two(seconds % 60) + "s";
  if (seconds < 86400) return std::to_string(seconds / 3600) + "h" + two(seconds / 60 % 60) + "m";
  return std::to_string(seconds / 86400) + "d" + two(seconds / 3600 % 24) + "h";
}

std::optional<Duration> parse_duration(std::string_view text) {
  const auto unit_at = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, unit_at),
                         unit = unit_at == std::string_view::npos ? "s" : text.substr(unit_at);
  const Duration scale = unit == "ms"  ? kMillisecond
                         : unit == "s" ? kSecond
                         : unit == "m" ? kMinute
                         : unit == "h" ? kHour
                         : unit == "d" ? kDay
                                       : 0;
  const auto point = number.find('.');
  const std::string_view whole = number.substr(0, point),
                         part = point == std::string_view::npos ? "" : number.substr(point + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (scale == 0 || error != std::errc() || end != whole.data() + whole.size() ||
      value > INT64_MAX / 2 / scale)
    return std::nullopt;
  if (point != std::string_view::npos && (part.empty() || part.size() > 6)) return std::nullopt;
  Duration total = value * scale, step = scale;
  for (const char c : part) {
    if (c < '0' || c > '9') return std::nullopt;
    step /= 10;
    total += step * (c - '0');
  }
  return total;
}

namespace {

Duration offset_at(Timestamp at, const UtcOffset& utc_offset) { return utc_offset ? utc_offset(at) : 0; }

// "+09:00", "Z"
std::string zone_text(Duration offset) {
  if (offset == 0) return "Z";
  const std::int64_t minutes = (offset < 0 ? -offset : offset) / kMinute;
  return (offset < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60);
}

}  // namespace

std::string local_time(const std::string& time, const UtcOffset& utc_offset) {
  const auto at = parse_time(time);
  if (!at) return time;
  const Duration offset = offset_at(*at, utc_offset);
  std::string text = format_time(*at + offset).substr(0, 19);
  text[10] = ' ';
  return text + zone_text(offset);
}

std::string local_clock(Timestamp at, const UtcOffset& utc_offset) {
  const Duration offset = offset_at(at, utc_offset);
  const Timestamp local = at - at % kMillisecond + offset;
  std::string text = format_time(local).substr(11);
  text.pop_back();
  if (text.size() == 8) text += ".000";
  while (text.size() < 12) text += "0";
  return text + zone_text(offset);
}

std::optional<Timestamp> clock_moment(std::string_view text, Timestamp now, const UtcOffset& utc_offset) {
  const auto two = [&](std::size_t from) -> std::optional<std::int64_t> {
    if (from + 2 > text.size()) return std::nullopt;
    const char tens = text[from], ones = text[from + 1];
    if (tens < '0' || tens > '9' || ones < '0' || ones > '9') return std::nullopt;
    return (tens - '0') * 10 + (ones - '0');
  };
  const bool has_seconds = text.size() == 8;
  if ((text.size() != 5 && !has_seconds) || text[2] != ':' || (has_seconds && text[5] != ':'))
    return std::nullopt;
  const auto hour = two(0), minute = two(3);
  const auto second = has_seconds ? two(6) : std::optional<std::int64_t>(0);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const Duration ahead = utc_offset ? utc_offset(now) : 0;
  const Timestamp local = now + ahead;
  const Timestamp day = local - local % kDay;
  const Timestamp at = day + *hour * kHour + *minute * kMinute + *second * kSecond;
  return (at > local ? at - kDay : at) - ahead;
}

}  // namespace berth::cli
