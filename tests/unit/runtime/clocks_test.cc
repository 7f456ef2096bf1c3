// Wrong clocks, and clocks that are set right: requests through any server are decided all the same (P16).
#include <gtest/gtest.h>

#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

v1::Request confirm_clock() {
  v1::Request request;
  request.mutable_confirm_clock();
  return request;
}

v1::Request put_domain(const std::string& name) {
  v1::Request request;
  request.mutable_put_domain()->set_name(name);
  request.mutable_put_domain()->set_create(true);
  return request;
}

class Clocks : public ::testing::Test {
 protected:
  bool begin(Duration leader_ahead, Duration other_ahead) {
    leader_.clock().set_wall(leader_ahead);
    other_.clock().set_wall(other_ahead);
    return leader_.start().ok() && leader_.await([this] { return leader_.node().leading(); }) &&
           leader_.define() && other_.start().ok() && other_.await([this] {
             return other_.node().header_time() != 0 && other_.failing("leader").empty();
           });
  }
  std::string is_behind(NodeRig& rig) { return rig.failing("clock"); }

  TempDir folder_;
  ThreadedMemoryLog log_;
  NodeRig leader_{log_, std::filesystem::path(folder_.path()) / "a", named("a")};
  NodeRig other_{log_, std::filesystem::path(folder_.path()) / "b", named("b")};

 private:
  static controller::CellNodeConfig named(const std::string& name) {
    controller::CellNodeConfig config;
    config.controller.name = name;
    return config;
  }
};

TEST_F(Clocks, P16_AServerWithAWrongClockAsksByTheClustersTime) {
  ASSERT_TRUE(begin(0, 0));
  for (const Duration ahead : {-11 * kMinute, kDay, -kDay}) {
    other_.clock().set_wall(ahead);
    EXPECT_EQ(other_.answer_to(put_domain("g" + std::to_string(ahead / kMinute + 1'441))), "")
        << ahead / kMinute;
  }
}

TEST_F(Clocks, P16_AServerWithTheRightClockIsHeardByALeaderWithAWrongOne) {
  ASSERT_TRUE(begin(-61 * kSecond, 0));
  EXPECT_EQ(other_.answer_to(put_domain("slow")), "");
}

TEST_F(Clocks, P16_AfterEightIdleHoursTheFirstRequestIsDecided) {
  ASSERT_TRUE(begin(0, 0));
  leader_.clock().pass(8 * kHour);
  other_.clock().pass(8 * kHour);
  EXPECT_EQ(other_.answer_to(put_domain("late")), "");
}

TEST_F(Clocks, P16_AClockThatWasAheadAndIsSetRightStopsNothing) {
  ASSERT_TRUE(begin(2 * kHour, 2 * kHour));
  leader_.clock().set_wall(0);
  other_.clock().set_wall(0);
  EXPECT_EQ(leader_.answer_to(put_domain("g1")), "");
  EXPECT_EQ(other_.answer_to(put_domain("g2")), "");
  for (NodeRig* rig : {&leader_, &other_}) {
    EXPECT_TRUE(rig->await([&] { return !is_behind(*rig).empty(); }));
    EXPECT_NE(is_behind(*rig).find("confirm-clock"), std::string::npos) << is_behind(*rig);
  }
  EXPECT_EQ(other_.answer_to(confirm_clock()), "");
  for (NodeRig* rig : {&leader_, &other_}) EXPECT_TRUE(rig->await([&] { return is_behind(*rig).empty(); }));
  EXPECT_EQ(leader_.answer_to(put_domain("g3")), "");
}

}  // namespace
}  // namespace berth::testing
