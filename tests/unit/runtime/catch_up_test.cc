// A server whose state is made of the log anew.
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

TEST(CatchUp, AServerIsNotReadyBeforeItHasReadWhatTheLogHas) {
  ThreadedMemoryLog log;
  const TempDir first, second;
  {
    NodeRig rig(log, first.path());
    ASSERT_TRUE(rig.start());
    ASSERT_TRUE(rig.define());
    EXPECT_FALSE(rig.api().catches_up());
    EXPECT_EQ(rig.failing("catch-up"), "");
  }
  NodeRig other(log, second.path());  // without a state
  EXPECT_TRUE(other.api().catches_up()) << "before it has begun";
  ASSERT_TRUE(other.start());
  ASSERT_TRUE(other.await([&] { return !other.api().catches_up(); }));
  other.node().read([](const projections::Projection& projection) {
    EXPECT_NE(projection.state().users.find("admin"), nullptr) << "what it lacks is not unknown";
  });
}

}  // namespace
}  // namespace berth::testing
