#include "ops/cli/slurm/slurm_times.h"

#include <algorithm>
#include <charconv>

#include "ops/cli/slurm/options.h"

namespace berth::cli::slurm {
namespace {

std::string two_digits(std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

std::optional<std::int64_t> number_of(std::string_view text) {
  constexpr std::int64_t kMost = 10'000'000;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMost)
    return std::nullopt;
  return value;
}

Timestamp in_zone(Timestamp at, const UtcOffset& utc_offset) {
  return at + (utc_offset ? utc_offset(at) : 0);
}

// The moment at which the reader's clock shows `local`, which is written as if it were UTC.
Timestamp from_zone(Timestamp local, const UtcOffset& utc_offset) {
  if (!utc_offset) return local;
  return local - utc_offset(local - utc_offset(local));
}

// Units of "now+1hour"; a word stands for its plural too.
std::optional<Duration> unit_of(std::string word) {
  if (word.size() > 1 && word.back() == 's') word.pop_back();
  if (word.empty() || word == "second") return kSecond;
  if (word == "minute") return kMinute;
  if (word == "hour") return kHour;
  if (word == "day") return kDay;
  if (word == "week") return 7 * kDay;
  return std::nullopt;
}

// Behind "now": "", "+1hour", "-2days", "+3600".
std::optional<Timestamp> beside(const std::string& text, Timestamp now) {
  if (text.empty()) return now;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  const auto count = number_of(std::string_view(text).substr(1, end - 1));
  const auto unit = unit_of(text.substr(end));
  if ((text[0] != '+' && text[0] != '-') || !count || !unit || *count > 100 * 366 * kDay / *unit)
    return std::nullopt;
  const Timestamp at = text[0] == '+' ? now + *count * *unit : now - *count * *unit;
  return at < 0 ? std::nullopt : std::optional(at);
}

// "2026-01-31T18:00:00Z", with what the text leaves out, and no zone of its own.
std::optional<Timestamp> written(std::string text) {
  if (text.size() == 10) text += "T00:00:00";
  if (text.size() == 16) text += ":00";
  return text.size() == 19 ? parse_time(text + "Z") : std::nullopt;
}

std::optional<Timestamp> of_day(const std::string& text, Timestamp now, const UtcOffset& utc_offset,
                                bool next) {
  const std::string today = format_time(in_zone(now, utc_offset)).substr(0, 10);
  const auto at = written(today + "T" + text);
  if (!at) return std::nullopt;
  const Timestamp moment = from_zone(*at, utc_offset);
  return next && moment <= now ? from_zone(*at + kDay, utc_offset) : moment;
}

}  // namespace

std::string span_text(Duration span) {
  const std::int64_t seconds = std::max<Duration>(0, span) / kSecond, days = seconds / 86400,
                     hours = seconds / 3600 % 24, minutes = seconds / 60 % 60;
  const std::string rest = two_digits(seconds % 60);
  if (days > 0)
    return std::to_string(days) + "-" + two_digits(hours) + ":" + two_digits(minutes) + ":" + rest;
  if (hours > 0) return std::to_string(hours) + ":" + two_digits(minutes) + ":" + rest;
  return std::to_string(minutes) + ":" + rest;
}

std::string long_span_text(Duration span) {
  const std::int64_t seconds = std::max<Duration>(0, span) / kSecond;
  return (seconds >= 86400 ? std::to_string(seconds / 86400) + "-" : "") + two_digits(seconds / 3600 % 24) +
         ":" + two_digits(seconds / 60 % 60) + ":" + two_digits(seconds % 60);
}

std::string clock_text(const std::string& time, const UtcOffset& utc_offset) {
  const auto at = parse_time(time);
  return at ? format_time(in_zone(*at, utc_offset)).substr(0, 19) : std::string();
}

std::string date_text(Timestamp at, const UtcOffset& utc_offset) {
  static constexpr const char* kDays[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const Timestamp local = std::max<Timestamp>(0, in_zone(at, utc_offset));
  const std::string text = format_time(local);
  return std::string(kDays[local / kDay % 7]) + " " + kMonths[std::stoi(text.substr(5, 2)) - 1] + " " +
         text.substr(8, 2) + " " + text.substr(11, 8) + " " + text.substr(0, 4);
}

Outcome<std::optional<Duration>> parse_limit(const std::string& text) {
  const Failure bad = usage_failure("--time '" + text.substr(0, 60) + "' is no time",
                                    "minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S");
  if (text == "UNLIMITED" || text == "INFINITE" || text == "-1") return std::optional<Duration>();
  const auto dash = text.find('-');
  std::vector<std::int64_t> parts;
  std::size_t at = dash == std::string::npos ? 0 : dash + 1;
  for (;;) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    const auto number = number_of(std::string_view(text).substr(at, end - at));
    if (!number) return bad;
    parts.push_back(*number);
    if (end == text.size()) break;
    at = end + 1;
  }
  constexpr std::int64_t kMost = 1'000'000;  // hours of it fit a Duration
  if (parts.size() > 3 || std::ranges::any_of(parts, [](auto part) { return part > kMost; })) return bad;
  Duration total = 0;
  if (dash != std::string::npos) {
    const auto days = number_of(std::string_view(text).substr(0, dash));
    if (!days || *days > 36'500) return bad;
    parts.resize(3);
    total = *days * kDay + parts[0] * kHour + parts[1] * kMinute + parts[2] * kSecond;
  } else if (parts.size() == 3) {
    total = parts[0] * kHour + parts[1] * kMinute + parts[2] * kSecond;
  } else {
    total = parts[0] * kMinute + (parts.size() == 2 ? parts[1] * kSecond : 0);
  }
  if (total > 36'500 * kDay) return bad;
  return total == 0 ? std::nullopt : std::optional(total);
}

Outcome<Timestamp> parse_moment(const std::string& option, const std::string& text, Timestamp now,
                                const UtcOffset& utc_offset, bool next) {
  std::optional<Timestamp> at;
  if (text.starts_with("now"))
    at = beside(text.substr(3), now);
  else if (text == "today" || text == "midnight")
    at = of_day("00:00:00", now, utc_offset, next && text == "midnight");
  else if (const auto local = written(text))
    at = from_zone(*local, utc_offset);
  else if (text.size() == 5 || text.size() == 8)
    at = of_day(text.size() == 5 ? text + ":00" : text, now, utc_offset, next);
  else
    at = parse_time(text);
  if (at && *at >= 0) return *at;
  return usage_failure(option + " '" + text.substr(0, 60) + "' is no time",
                       "2026-01-31, 2026-01-31T18:00, 18:00, today, now, now+1hour or now-2days");
}

}  // namespace berth::cli::slurm
