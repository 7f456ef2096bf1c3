#include "controller/scheduler/scenario/times.h"

namespace berth::scheduler {

namespace {

void pad(std::string& out, std::int64_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  out += std::string(text.size() < digits ? digits - text.size() : 0, '0') + text;
}

std::optional<std::int64_t> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

// Days since 1970-01-01 of a date of the Gregorian calendar; years begin in March, so that the leap day comes last.
std::int64_t days_since_1970(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month <= 2) --year;
  const std::int64_t era = year / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

bool is_day(std::int64_t year, std::int64_t month, std::int64_t day) {
  constexpr std::int64_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

std::optional<std::int64_t> offset_seconds(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = digits(text, 1, 2);
  const auto minutes = digits(text, 4, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

}  // namespace

std::optional<Timestamp> parse_time(std::string_view text) {
  constexpr std::string_view kForm = "....-..-..T..:..:..";
  if (text.size() < kForm.size() + 1) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] != '.' && text[i] != kForm[i]) return std::nullopt;
  }
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second || *year < 1900 || *year > 2200) return std::nullopt;
  if (!is_day(*year, *month, *day) || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  std::size_t at = kForm.size();
  Timestamp nanoseconds = 0;
  if (text[at] == '.') {
    Timestamp unit = kSecond;
    while (++at < text.size() && text[at] >= '0' && text[at] <= '9' && unit > 1)
      nanoseconds += (text[at] - '0') * (unit /= 10);
  }
  const auto offset = offset_seconds(text.substr(at));
  if (!offset) return std::nullopt;
  const std::int64_t seconds =
      days_since_1970(*year, *month, *day) * 86400 + *hour * 3600 + *minute * 60 + *second - *offset;
  return seconds * kSecond + nanoseconds;
}

std::string time_text(Timestamp time) {
  std::int64_t seconds = time / kSecond, rest = time % kSecond;
  if (rest < 0) rest += kSecond, --seconds;
  std::int64_t days = seconds / 86400, second = seconds % 86400;
  if (second < 0) second += 86400, --days;
  const std::int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
  const std::int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100), mp = (5 * of_year + 2) / 153;
  const std::int64_t month = mp < 10 ? mp + 3 : mp - 9;
  std::string out;
  pad(out, year_of_era + era * 400 + (month <= 2 ? 1 : 0), 4);
  out += '-'; pad(out, month, 2);
  out += '-'; pad(out, of_year - (153 * mp + 2) / 5 + 1, 2);
  out += 'T'; pad(out, second / 3600, 2);
  out += ':'; pad(out, second / 60 % 60, 2);
  out += ':'; pad(out, second % 60, 2);
  if (rest == 0) return out + "Z";
  out += '.'; pad(out, rest, 9);
  while (out.back() == '0') out.pop_back();
  return out + "Z";
}

}  // namespace berth::scheduler
