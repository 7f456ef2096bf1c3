#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(DrainAgent, ItDrainsAndTakesAgain) {
  Case c = given(world());
  c.when(drain_agent("a1")).then({agent_drain_changed("a1", true)});
  EXPECT_TRUE(c.agent("a1").draining);
  c.when(drain_agent("a1", false)).then({agent_drain_changed("a1", false)});
  EXPECT_FALSE(c.agent("a1").draining);
}

TEST(DrainAgent, AskedAgainItStillDrains) {
  given(world() + Events{agent_drain_changed("a1", true)})
      .when(drain_agent("a1"))
      .then({agent_drain_changed("a1", true)});
}

TEST(DrainAgent, AnUnknownAgentIsRefused) {
  given(world()).when(drain_agent("a9")).then_refused("unknown-agent").then_hint("berth agent ls");
}

}  // namespace
}  // namespace berth::testing::decisions
