// P1: a join that is read again, or much later, changes nothing.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

TEST(Joins, P1_AJoinThatWasReadBeforeIsForbidden) {
  Given g = given(definitions() + agent("a1"));
  g.and_given({agent_joined("a1", 8, 16 * kGiga, {}, 2)});
  g.when({agent_joined("a1", 8, 16 * kGiga)}).then_forbidden("read before");
  EXPECT_EQ(g.state().agents.find("a1")->incarnation.view(), incarnation_of("a1", 2));
}

TEST(Joins, P1_AJoinThatWasSentMoreThanADayAgoIsForbidden) {
  Given g = given(definitions() + Events{agent_enrolled("a1")});
  g.after(projections::kJoinKeptFor + kSecond);
  g.when({agent_joined("a1", 8, 16 * kGiga)}).then_forbidden("more than a day ago");
}

TEST(Joins, P1_ANonceIsKeptAsLongAsItsJoinCouldStillCome) {
  Given g = given(definitions() + agent("a1"));
  EXPECT_EQ(g.state().joins.size(), 1u);
  g.after(projections::kJoinKeptFor - kSecond);
  g.and_given({clock_confirmed()});
  EXPECT_EQ(g.state().joins.size(), 1u);
  g.after(2 * kSecond);
  g.and_given({clock_confirmed()});
  EXPECT_EQ(g.state().joins.size(), 0u);
}

}  // namespace
}  // namespace berth::testing
