#include "events/base/time/rfc3339.h"

#include "events/base/time/calendar.h"

namespace berth {
namespace {

// Reads fixed-width fields from the front; any mismatch makes it fail for good.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool ok() const { return ok_; }
  bool at_end() const { return text_.empty(); }
  char peek() const { return text_.empty() ? '\0' : text_.front(); }

  int digits(std::size_t width) {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (text_.empty() || text_.front() < '0' || text_.front() > '9') {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    return value;
  }
  void expect(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos)
      ok_ = false;
    else
      text_.remove_prefix(1);
  }
  // ".123" as nanoseconds; 0 where there is none.
  std::int64_t fraction() {
    if (peek() != '.') return 0;
    text_.remove_prefix(1);
    std::int64_t nanoseconds = 0, scale = kSecond;
    if (text_.empty() || text_.front() < '0' || text_.front() > '9') ok_ = false;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
      scale /= 10;
      if (scale == 0) {
        ok_ = false;
        return 0;
      }
      nanoseconds += (text_.front() - '0') * scale;
      text_.remove_prefix(1);
    }
    return nanoseconds;
  }
  // "Z" or "+09:00", in seconds east.
  std::int64_t offset() {
    const char sign = peek();
    expect("Zz+-");
    if (!ok_ || sign == 'Z' || sign == 'z') return 0;
    const int hours = digits(2);
    expect(":");
    const int minutes = digits(2);
    if (hours > 23 || minutes > 59) ok_ = false;
    const std::int64_t seconds = hours * 3600 + minutes * 60;
    return sign == '-' ? -seconds : seconds;
  }

 private:
  std::string_view text_;
  bool ok_ = true;
};

}  // namespace

std::string format_time(Timestamp time) {
  std::int64_t seconds = time / kSecond, nanoseconds = time % kSecond;
  if (nanoseconds < 0) {
    nanoseconds += kSecond;
    --seconds;
  }
  std::int64_t days = seconds / 86400, rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  const Date date = date_of(days);
  std::string text = "0000-00-00T00:00:00Z";
  const auto put = [&text](std::size_t at, std::size_t width, std::int64_t number) {
    for (std::size_t i = width; i-- > 0; number /= 10) text[at + i] = static_cast<char>('0' + number % 10);
  };
  put(0, 4, date.year);
  put(5, 2, date.month);
  put(8, 2, date.day);
  put(11, 2, rest / 3600);
  put(14, 2, rest / 60 % 60);
  put(17, 2, rest % 60);
  if (nanoseconds == 0) return text;
  text.back() = '.';
  text += "000000000";
  put(20, 9, nanoseconds);
  while (text.back() == '0') text.pop_back();
  return text += 'Z';
}

std::string format_second(Timestamp time) { return format_time(time - time % kSecond); }

std::optional<Timestamp> parse_time(std::string_view text) {
  Scanner scan(text);
  const int year = scan.digits(4);
  scan.expect("-");
  const int month = scan.digits(2);
  scan.expect("-");
  const int day = scan.digits(2);
  scan.expect("Tt ");
  const int hour = scan.digits(2);
  scan.expect(":");
  const int minute = scan.digits(2);
  scan.expect(":");
  const int second = scan.digits(2);
  const std::int64_t nanoseconds = scan.fraction();
  const std::int64_t offset = scan.offset();
  if (!scan.ok() || !scan.at_end()) return std::nullopt;
  if (year < 1970 || year > 2200 || !is_date(year, month, day)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t seconds =
      days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  return seconds * kSecond + nanoseconds;
}

}  // namespace berth
