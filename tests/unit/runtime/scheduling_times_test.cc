#include "controller/api/live/scheduling_times.h"

#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

bool has(const std::string& text, const std::string& line) {
  return text.find(line + "\n") != std::string::npos;
}

TEST(SchedulingTimes, AWaitLastsFromTheRequestToThePlace) {
  Given given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 4, 64 * kGiga)});
  controller::SchedulingTimes times;
  given.projection().set_listener(&times);
  given.and_given({session_requested("s1")});
  given.after(20 * kSecond);
  given.and_given({session_reason_changed("s1", "no-capacity", "cpu")});
  EXPECT_TRUE(has(times.text(), "berth_queue_wait_seconds_count 0")) << times.text();
  given.and_given({session_scheduled("s1", "a1")});
  EXPECT_TRUE(has(times.text(), "berth_queue_wait_seconds_count 1")) << times.text();
  EXPECT_TRUE(has(times.text(), "berth_queue_wait_seconds_bucket{le=\"15\"} 0")) << times.text();
  EXPECT_TRUE(has(times.text(), "berth_queue_wait_seconds_bucket{le=\"60\"} 1")) << times.text();
  given.projection().set_listener(nullptr);
}

TEST(SchedulingTimes, APassIsCountedByTheTimeThatItTook) {
  controller::SchedulingTimes times;
  times.passed(3 * kMillisecond);
  EXPECT_TRUE(has(times.text(), "berth_scheduler_pass_seconds_count 1")) << times.text();
  EXPECT_TRUE(has(times.text(), "berth_scheduler_pass_seconds_bucket{le=\"0.0025\"} 0")) << times.text();
  EXPECT_TRUE(has(times.text(), "berth_scheduler_pass_seconds_bucket{le=\"0.005\"} 1")) << times.text();
}

}  // namespace
}  // namespace berth::testing
