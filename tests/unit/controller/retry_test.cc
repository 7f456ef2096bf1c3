// tests/BEHAVIOURS.md section 6, as the two counters of its top say it: `attempts` are starts that failed,
// `retries` refusals, which never give up. RB7 and RB9 are about rows of a history that is kept beside the
// state; here the journal is the history, and `attempts` is one number of the session.
#include <gtest/gtest.h>

#include "controller/decide/decide.h"
#include "tests/support/given.h"

namespace berth::controller {
namespace {

using projections::SessionStatus;
using testing::Events;
using testing::Given;
using testing::Spec;
using testing::operator+;

std::vector<v1::Event> settled(const Given& given, const SessionId& id) {
  static const InHistory kNone;
  const EventList events = settle({given.state(), {}, 0, kNone}, id);
  return {events.begin(), events.end()};
}

// A session some of whose starts have failed, and whose next start ends so.
Given started(std::uint32_t attempts, v1::KernelEnd end, const v1::SessionSpec& spec = Spec(),
              std::uint32_t retries = 0) {
  Events history =
      testing::definitions() + testing::agent("a1") + Events{testing::session_requested("s1", spec)};
  if (retries > 0) history.push_back(testing::session_retried("s1", retries));
  Given given(history);
  for (std::uint32_t n = 1; n <= attempts + 1; ++n) {
    const std::string kernel = testing::kernel_name("s1", "main", 1, n);
    given.and_given({testing::session_scheduled("s1", "a1", n)});
    given.and_given({testing::kernel_terminated(kernel, n <= attempts ? v1::START_FAILED : end, 1, n)});
    if (n <= attempts) given.and_given({testing::session_requeued("s1", n)});
  }
  return given;
}

struct Row {
  const char* row;
  std::uint32_t attempts;
  std::uint32_t retries;
  v1::KernelEnd end;
  bool gives_up;
  std::uint32_t attempts_after;
};

TEST(Retry, GivesUpAtMaxAttemptsAndAtNothingElse) {
  const std::vector<Row> rows = {
      {"RB1", 4, 0, v1::START_FAILED, true, 0},
      {"RB2 refusals do not count", 0, 99, v1::START_FAILED, false, 1},
      {"RB4", 0, 0, v1::START_FAILED, false, 1},
      {"one before the last", 3, 0, v1::START_FAILED, false, 4},
      {"RB6 a lost agent is no attempt", 4, 0, v1::AGENT_LOST, false, 4},
  };
  for (const Row& row : rows) {
    const Given given = started(row.attempts, row.end, Spec().requeueable(), row.retries);
    ASSERT_EQ(given.status("s1"), SessionStatus::kRescheduling) << row.row;
    const auto events = settled(given, testing::session_id("s1"));
    ASSERT_EQ(events.size(), 1u) << row.row;
    if (row.gives_up) {
      EXPECT_EQ(events[0].session_failed().code(), "gave-up") << row.row;
    } else {
      EXPECT_EQ(events[0].session_requeued().attempts(), row.attempts_after) << row.row;
    }
  }
}

TEST(Retry, RB1_ASessionMayAskForFewer) {
  const auto events =
      settled(started(0, v1::START_FAILED, Spec().max_attempts(1)), testing::session_id("s1"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].session_failed().code(), "gave-up");
}

TEST(Retry, RB8_AnUnknownSessionOrOneThatDoesNotGoBackIsLeftAlone) {
  EXPECT_TRUE(settled(started(0, v1::START_FAILED), testing::session_id("other")).empty());
  EXPECT_TRUE(settled(started(0, v1::EXITED), testing::session_id("s1")).empty());
}

TEST(Retry, RB11_RunningClearsTheReasonAndKeepsTheStartTime) {
  const Timestamp start = 1'600'000'000 * kSecond;
  Given given(testing::definitions() + testing::agent("a1") +
              Events{testing::session_requested("s1", Spec().batch().start_at(start)),
                     testing::session_reason_changed("s1", "no-capacity", "cpu"),
                     testing::session_scheduled("s1", "a1"),
                     testing::kernel_running(testing::kernel_name("s1"))});
  EXPECT_EQ(given.status("s1"), SessionStatus::kRunning);
  EXPECT_EQ(given.session("s1").reason_code, "");
  EXPECT_EQ(given.session("s1").spec->spec.start_time_ms(), start / kMillisecond);
}

TEST(Retry, RB12_OneOfThreeFailsAndTheOthersRun) {
  Events history = testing::definitions() + testing::agent("a1");
  for (const char* name : {"s1", "s2", "s3"})
    history = history + Events{testing::session_requested(name), testing::session_scheduled(name, "a1")};
  Given given(history + Events{testing::kernel_running(testing::kernel_name("s1")),
                               testing::kernel_terminated(testing::kernel_name("s2"), v1::START_FAILED, 1),
                               testing::kernel_running(testing::kernel_name("s3"))});
  EXPECT_EQ(given.status("s1"), SessionStatus::kRunning);
  EXPECT_EQ(given.status("s2"), SessionStatus::kRescheduling);
  EXPECT_EQ(given.status("s3"), SessionStatus::kRunning);
}

TEST(Retry, RB13_BackInTheQueueItHasNoKernelsAndHoldsNothing) {
  Given given = started(0, v1::START_FAILED);
  given.and_given({testing::session_requeued("s1", 1)});
  EXPECT_EQ(given.status("s1"), SessionStatus::kPending);
  EXPECT_TRUE(given.session("s1").kernel_ids.empty());
  EXPECT_FALSE(given.has_kernel(testing::kernel_name("s1")));
  EXPECT_EQ(given.taken("a1", "cpu"), 0);
  EXPECT_EQ(given.session("s1").spec->spec.max_attempts(), 5u);
}

// Who ran for long and is put back (PR18, a lost agent, a failed start) has its whole pending timeout again.
TEST(Retry, PutBackItWaitsItsWholePendingTimeoutAgain) {
  Given given(testing::definitions() + testing::agent("a1") +
              Events{testing::session_requested("s1", Spec().pending_timeout(kHour)),
                     testing::session_scheduled("s1", "a1")});
  given.after(2 * kDay).and_given(
      {testing::kernel_terminated(testing::kernel_name("s1"), v1::START_FAILED, 1)});
  given.and_given({testing::session_requeued("s1", 1)});
  ASSERT_EQ(given.state().timers().size(), 1u);
  const projections::Timer& timer = *given.state().timers().begin();
  EXPECT_EQ(timer.kind, projections::TimerKind::kPendingTimeout);
  EXPECT_EQ(timer.due, given.session("s1").requeued_at + kHour);
  EXPECT_GT(given.session("s1").requeued_at, given.session("s1").created_at + 2 * kDay);
}

}  // namespace
}  // namespace berth::controller
