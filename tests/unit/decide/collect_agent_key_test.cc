// An agent's key is given once, for the token that its enrolment named.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

const std::string kEnrolment(16, 't');

v1::Event collected(const std::string& agent, std::uint32_t generation) {
  v1::Event e;
  e.mutable_agent_key_collected()->set_agent(agent);
  e.mutable_agent_key_collected()->set_generation(generation);
  return e;
}

Case enrolled_for(Duration time) {
  Case c = given(world());
  c.when(enroll_agent_by_token("a2", kEnrolment, c.journal().time() + time));
  return c;
}

TEST(CollectAgentKey, TheTokenIsSpentAtItsFirstUse) {
  enrolled_for(kHour)
      .when(collect_agent_key("a2", kEnrolment))
      .then({collected("a2", 1)})
      .when(collect_agent_key("a2", kEnrolment))
      .then_refused("token-not-valid");
}

TEST(CollectAgentKey, AnotherTokenOrALateOneIsRefused) {
  enrolled_for(kHour).when(collect_agent_key("a2", std::string(16, 'x'))).then_refused("token-not-valid");
  enrolled_for(kHour).when(collect_agent_key("a2", "")).then_refused("token-not-valid");
  Case late = enrolled_for(kHour);
  late.after(kHour + kSecond).when(collect_agent_key("a2", kEnrolment)).then_refused("token-not-valid");
}

TEST(CollectAgentKey, AnAgentThatWasEnrolledWithoutATokenHasNone) {
  given(world()).when(collect_agent_key("a1", std::string(16, '\0'))).then_refused("token-not-valid");
  given(world()).when(collect_agent_key("a9", kEnrolment)).then_refused("unknown-agent");
}

TEST(CollectAgentKey, ANewEnrolmentEndsTheTokenBefore) {
  Case c = enrolled_for(kHour);
  c.when(enroll_agent("a2")).then({agent_enrolled("a2", 2)});
  c.when(collect_agent_key("a2", kEnrolment)).then_refused("token-not-valid");
}

}  // namespace
}  // namespace berth::testing::decisions
