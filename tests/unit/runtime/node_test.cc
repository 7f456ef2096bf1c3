// What a node does when its log cannot go on.
#include <gtest/gtest.h>

#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

TEST(Node, P20_TheApiIsToldToComeLaterWhileTheLogTakesNothingBack) {
  ThreadedMemoryLog log;
  const TempDir folder;
  controller::CellNodeConfig config;
  config.controller.records_in_flight = 1;
  config.controller.read_back = kMinute;  // it goes on leading
  NodeRig rig(log, folder.path(), config);
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());
  log.hold(Stream::kJournal);
  rig.ask_for_session("s1");
  ASSERT_TRUE(rig.await([&] { return rig.node().full(); }));
  const auto refused = rig.api().submit({}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "controller-full");
  log.release();
  EXPECT_TRUE(rig.await([&] { return !rig.node().full(); }));
}

}  // namespace
}  // namespace berth::testing
