// What is asked of an agent.
#include <gtest/gtest.h>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

api::HttpReply fence(ApiRig& rig, const std::string& query = "") {
  return rig.ask({.method = "POST", .target = "/v1/agents/a1/fence" + query});
}

TEST(FenceAgent, OneThatIsAliveIsRefusedUnlessForced) {
  ApiRig rig;
  rig.cell.append(
      {session_requested("s1"), session_scheduled("s1", "a1"), kernel_running(kernel_name("s1"))});
  const auto refused = fence(rig);
  EXPECT_EQ(refused.status, 409u);
  EXPECT_EQ(ApiRig::code_of(refused), "agent-alive");
  EXPECT_NE(refused.body.find("would lose 1 kernel\""), std::string::npos) << refused.body;
  EXPECT_EQ(fence(rig, "?force=true").status, 200u);
}

TEST(FenceAgent, OneThatIsLostIsFencedWithoutForce) {
  ApiRig rig;
  rig.cell.append({agent_lost("a1")});
  EXPECT_EQ(fence(rig).status, 200u);
}

}  // namespace
}  // namespace berth::testing
