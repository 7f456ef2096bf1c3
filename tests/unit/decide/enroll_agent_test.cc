#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(EnrollAgent, RaisesTheGenerationEachTime) {
  given(world())
      .when(enroll_agent("a2"))
      .then({agent_enrolled("a2", 1)})
      .when(enroll_agent("a2"))
      .then({agent_enrolled("a2", 2)});
}

TEST(EnrollAgent, TakesANewerGenerationAsItIs) {
  given(world()).when(enroll_agent("a1", 7)).then({agent_enrolled("a1", 7)});
}

TEST(EnrollAgent, RefusesAGenerationThatTheAgentHasAlready) {
  given(world() + Events{agent_enrolled("a1", 3)})
      .when(enroll_agent("a1", 3))
      .then_refused("generation-too-old");
}

// The net forbids a generation that falls: the next one must not begin anew.
TEST(EnrollAgent, RefusesAGenerationAfterWhichThereIsNone) {
  given(world()).when(enroll_agent("a1", 4294967295)).then_refused("invalid-generation");
  given(world() + Events{agent_enrolled("a1", 4294967295)})
      .when(enroll_agent("a1"))
      .then_refused("invalid-generation");
}

TEST(EnrollAgent, RefusesANameThatIsNone) {
  for (const char* name : {"", "-x", "a b"})
    given(world()).when(enroll_agent(name)).then_refused("invalid-name");
}

}  // namespace
}  // namespace berth::testing::decisions
