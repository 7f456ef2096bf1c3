#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(FenceAgent, ALostAgentIsFenced) {
  given(world() + Events{agent_lost("a1")}).when(fence_agent("a1", false)).then({agent_fenced("a1")});
}

TEST(FenceAgent, AnAliveAgentIsFencedOnlyByForce) {
  Case c = given(world() + running("job", "a1", Spec().cpu(1)));
  c.when(fence_agent("a1", false))
      .then_refused("agent-alive")
      .then_hint("stop it first; force=true (berth agent fence --force) fences it all the same");
  c.when(fence_agent("a1")).then({agent_fenced("a1")});
}

TEST(FenceAgent, AnUnknownAgentIsRefused) {
  given(world()).when(fence_agent("a9")).then_refused("unknown-agent").then_hint("berth agent ls");
}

TEST(FenceAgent, AskedAgainItIsFencedAgain) {
  given(world()).when(fence_agent("a1")).when(fence_agent("a1")).then({agent_fenced("a1")});
}

}  // namespace
}  // namespace berth::testing::decisions
