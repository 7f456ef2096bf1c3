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

}  // namespace
}  // namespace berth::testing::decisions
