#include "controller/scenario/times.h"

#include "events/base/time/calendar.h"

namespace berth::placement {

namespace {

void pad(std::string& out, std::int64_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  out += std::string(text.size() < digits ? digits - text.size() : 0, '0') + text;
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
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
  if (!year || !month || !day || !hour || !minute || !second || *year < 1900 || *year > 2200)
    return std::nullopt;
  if (!is_date(*year, *month, *day) || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
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
  const Date date = date_of(days);
  std::string out;
  pad(out, date.year, 4);
  out += '-';
  pad(out, date.month, 2);
  out += '-';
  pad(out, date.day, 2);
  out += 'T';
  pad(out, second / 3600, 2);
  out += ':';
  pad(out, second / 60 % 60, 2);
  out += ':';
  pad(out, second % 60, 2);
  if (rest == 0) return out + "Z";
  out += '.';
  pad(out, rest, 9);
  while (out.back() == '0') out.pop_back();
  return out + "Z";
}

}  // namespace berth::placement
