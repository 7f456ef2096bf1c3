#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(FenceAgent, ALostAgentIsFenced) {
  given(world() + Events{agent_lost("a1")}).when(fence_agent("a1")).then({agent_fenced("a1")});
}

TEST(FenceAgent, AnAliveAgentIsFencedToo) {
  given(world()).when(fence_agent("a1")).then({agent_fenced("a1")});
}

TEST(FenceAgent, AnUnknownAgentIsRefused) {
  given(world()).when(fence_agent("a9")).then_refused("unknown-agent").then_hint("berth agent ls");
}

TEST(FenceAgent, AskedAgainItIsFencedAgain) {
  given(world()).when(fence_agent("a1")).when(fence_agent("a1")).then({agent_fenced("a1")});
}

}  // namespace
}  // namespace berth::testing::decisions
