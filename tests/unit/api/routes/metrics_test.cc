// GET /metrics
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

std::string metrics_of(ApiRig& rig) { return rig.ask({.target = "/metrics"}).body; }

bool has(const std::string& text, const std::string& line) {
  return text.find(line + "\n") != std::string::npos;
}

TEST(Metrics, SlotsAreCapacityAndWhatIsUsedOfTheAgentsThatAreAlive) {
  ApiRig rig(small_cluster() + Events{session_requested("s1", Spec().cpu(1).mem(kGiga).shares(kUnit / 2)),
                                      session_scheduled("s1", {{"a1", {{"gpu0", kUnit / 2}}}})});
  const std::string text = metrics_of(rig);
  EXPECT_TRUE(has(text, "# TYPE berth_slots gauge")) << text;
  const auto slot = [](const char* resource, const char* kind) {
    return std::string("berth_slots{resource=\"") + resource + "\",group=\"default\",kind=\"" + kind + "\"} ";
  };
  EXPECT_TRUE(has(text, slot("cpu", "capacity") + "4")) << text;
  EXPECT_TRUE(has(text, slot("cpu", "used") + "1")) << text;
  EXPECT_TRUE(has(text, slot("mem", "capacity") + "8589934592")) << text;
  EXPECT_TRUE(has(text, slot("cuda.shares", "capacity") + "2")) << text;
  EXPECT_TRUE(has(text, slot("cuda.shares", "used") + "0.5")) << text;
  rig.cell.append({agent_lost("a1")});
  EXPECT_EQ(metrics_of(rig).find("berth_slots{"), std::string::npos) << "what is not there is no series";
}

// Neither the number of sessions nor that of users makes series.
TEST(Metrics, NoLabelIsAnIdOrANameOfASessionOrAUser) {
  ApiRig rig;
  const auto series = [&] {
    const std::string text = metrics_of(rig);
    return std::count(text.begin(), text.end(), '\n');
  };
  series();  // the route's own appear with its first answer
  const auto before = series();
  rig.cell.append(
      {session_requested("sesame"), session_requested("other", Spec(), "bob"), user_defined("zoe")});
  EXPECT_EQ(series(), before);
  for (const char* name : {"sesame", "alice", "bob", "zoe"})
    EXPECT_EQ(metrics_of(rig).find(name), std::string::npos) << name;
}

TEST(Metrics, AnIdleLongPollIsNoFaultOfTheServer) {
  ApiRig rig;
  rig.cell.log_end = rig.cell.position() + 1;
  const std::string next = std::to_string(rig.cell.position() + 1);
  EXPECT_EQ(rig.ask({.target = "/v1/sessions?wait=10ms&min_position=" + next}).status, 412u);
  const std::string text = metrics_of(rig);
  EXPECT_TRUE(has(text, R"(berth_api_requests_total{method="GET",route="listSessions",status="412"} 1)"))
      << text;
  EXPECT_EQ(text.find(R"(status="5)"), std::string::npos) << text;
}

}  // namespace
}  // namespace berth::testing
