#include "controller/api/map/time_text.h"

#include <gtest/gtest.h>

namespace berth::controller::api {
namespace {

constexpr Timestamp kNewYear2026 = 1767225600ll * kSecond;

TEST(TimeText, PrintsUtcWithAsMuchOfTheFractionAsIsNeeded) {
  EXPECT_EQ(format_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_time(kNewYear2026), "2026-01-01T00:00:00Z");
  EXPECT_EQ(format_time(kNewYear2026 + 1), "2026-01-01T00:00:00.000000001Z");
  EXPECT_EQ(format_time(kNewYear2026 + 250 * kMillisecond), "2026-01-01T00:00:00.25Z");
  EXPECT_EQ(format_milliseconds(kNewYear2026), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(format_milliseconds(kNewYear2026 + 25 * kMillisecond + 999'999), "2026-01-01T00:00:00.025Z");
  EXPECT_EQ(format_time(1709164800ll * kSecond), "2024-02-29T00:00:00Z");
}

TEST(TimeText, ReadsWhatItPrints) {
  for (Timestamp time = 0; time < 200ll * 365 * kDay; time += 11 * kDay + 7 * kHour + 13 * kSecond + 12345)
    EXPECT_EQ(parse_time(format_time(time)), time) << format_time(time);
}

TEST(TimeText, ReadsAnOffsetAsTheSameInstant) {
  EXPECT_EQ(parse_time("2026-01-01T09:00:00+09:00"), kNewYear2026);
  EXPECT_EQ(parse_time("2025-12-31T19:00:00-05:00"), kNewYear2026);
  EXPECT_EQ(parse_time("2026-01-01t00:00:00.5z"), kNewYear2026 + 500 * kMillisecond);
}

TEST(TimeText, RefusesWhatIsNoInstant) {
  for (const char* text :
       {"", "now", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00Zjunk", "2026-01-01T00:00:00+24:00",
        "1969-12-31T23:59:59Z", "2026-1-1T0:0:0Z", "-026-01-01T00:00:00Z", "9999-01-01T00:00:00Z"})
    EXPECT_FALSE(parse_time(text).has_value()) << text;
}

TEST(Durations, AreWrittenInSecondsOrMilliseconds) {
  EXPECT_EQ(format_duration_ms(300'000), "300s");
  EXPECT_EQ(format_duration_ms(1'500), "1500ms");
}

TEST(Durations, AreReadInEveryUnit) {
  EXPECT_EQ(parse_duration_ms("1500ms").value(), 1'500);
  EXPECT_EQ(parse_duration_ms("90s").value(), 90'000);
  EXPECT_EQ(parse_duration_ms("90").value(), 90'000);
  EXPECT_EQ(parse_duration_ms("5m").value(), 300'000);
  EXPECT_EQ(parse_duration_ms("2h").value(), 7'200'000);
  EXPECT_EQ(parse_duration_ms("1d").value(), 86'400'000);
}

TEST(Durations, RefuseWhatIsNoneOrTooLong) {
  for (const char* text : {"", "s", "-1s", "1.5s", "1w", "5 m", "99999999999999999999s", "10000d", "100000h",
                           "10000000m", "1000000000", "1000000000000ms"}) {
    const auto parsed = parse_duration_ms(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, "invalid-value");
    EXPECT_FALSE(parsed.error().hint.empty());
  }
}

}  // namespace
}  // namespace berth::controller::api
