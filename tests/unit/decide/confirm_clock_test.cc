#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

v1::Event confirmed_at(Timestamp time) {
  v1::Event e = clock_confirmed();
  e.mutable_clock_confirmed()->set_wall_ns(time);
  return e;
}

TEST(ConfirmClock, TheTimeOfTheRecordIsConfirmed) {
  Case c = given(world() + Events{clock_jumped()});
  c.after(kHour).when(confirm_clock());
  c.then({confirmed_at(c.decided_at())});
}

TEST(ConfirmClock, AskedAgainTheLaterTimeIsConfirmed) {
  Case c = given(world());
  const Timestamp first = c.when(confirm_clock()).decided_at();
  c.after(kMinute).when(confirm_clock());
  c.then({confirmed_at(c.decided_at())});
  EXPECT_GE(c.decided_at(), first + kMinute);
}

TEST(ConfirmClock, P16_ItNeverExpires) {
  v1::Request r = confirm_clock();
  for (const Duration away : {-2 * kHour, 2 * kHour}) {
    Case c = given(world() + Events{clock_jumped()});
    r.set_sent_ms((c.journal().time() + away) / kMillisecond);
    c.when(r);
    c.then({confirmed_at(c.decided_at())});
  }
}

// A word of an operator changes no clock: one that is behind stays so, and is known.
TEST(ConfirmClock, P16_OfAClockThatIsBehindItIsKnown) {
  using projections::ClockBehind;
  v1::Event behind;
  behind.mutable_clock_behind()->set_wall_ns(1);
  Case c = given(world() + Events{behind});
  EXPECT_EQ(c.state().epoch().clock_behind, ClockBehind::kToConfirm);
  c.when(confirm_clock());
  EXPECT_EQ(c.state().epoch().clock_behind, ClockBehind::kConfirmed);
  v1::Event agrees = clock_confirmed();
  agrees.clear_request_id();
  EXPECT_EQ(given(world() + Events{behind, agrees}).state().epoch().clock_behind, ClockBehind::kNot);
}

}  // namespace
}  // namespace berth::testing::decisions
