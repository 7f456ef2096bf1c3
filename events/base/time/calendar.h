// The Gregorian calendar in UTC. The functions count years from March, so that the leap day comes last. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace berth {

struct Date {
  std::int64_t year;
  int month;
  int day;
};

// Days since 1970-01-01. REQUIRES: a date that exists, of the year 0 or later.
constexpr std::int64_t days_since_1970(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = year / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

// The inverse of days_since_1970().
constexpr Date date_of(std::int64_t since_1970) {
  const std::int64_t days = since_1970 + 719468;
  const std::int64_t era = days / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int shifted = static_cast<int>((5 * day_of_year + 2) / 153);
  const int day = static_cast<int>(day_of_year) - (153 * shifted + 2) / 5 + 1;
  const int month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

constexpr bool is_date(std::int64_t year, int month, int day) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= (month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)]);
}

}  // namespace berth
