#include "events/base/time/calendar.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Calendar, EveryDayOfFourCenturiesIsTheOneAfterTheLast) {
  std::int64_t days = days_since_1970(1900, 1, 1);
  EXPECT_EQ(days, -25'567);
  for (std::int64_t year = 1900; year < 2300; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; is_date(year, month, day); ++day, ++days) {
        ASSERT_EQ(days_since_1970(year, month, day), days);
        const Date date = date_of(days);
        ASSERT_TRUE(date.year == year && date.month == month && date.day == day)
            << year << "-" << month << "-" << day;
      }
    }
  }
  EXPECT_EQ(days, days_since_1970(2300, 1, 1));
}

TEST(Calendar, KnowsLeapDays) {
  for (const int year : {2000, 2024, 2400}) EXPECT_TRUE(is_date(year, 2, 29)) << year;
  for (const int year : {1900, 2023, 2100}) EXPECT_FALSE(is_date(year, 2, 29)) << year;
  for (const int month : {0, 13}) EXPECT_FALSE(is_date(2026, month, 1));
  EXPECT_FALSE(is_date(2026, 4, 31));
  EXPECT_FALSE(is_date(2026, 4, 0));
}

}  // namespace
}  // namespace berth
