// Sessions that mount folders stand only where the folders' volumes are.
#include "tests/support/folders.h"
#include "tests/unit/feed/pass_fixture.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

using Lines = std::vector<std::string>;

constexpr Amount kMemory = 64 * kGiga;

// a1 has local1 and the shared volume, a2 local2 and the shared one, a3 none.
Events three_agents() {
  const v1::Owner alice = folder_owner("alice");
  return definitions() +
         Events{agent_enrolled("a1"), with_volumes(agent_joined("a1", 16, kMemory), {"local1", "nfs"}),
                agent_enrolled("a2"), with_volumes(agent_joined("a2", 16, kMemory), {"local2", "nfs"}),
                agent_enrolled("a3"), agent_joined("a3", 16, kMemory)} +
         ready_folder("one", alice, "local1") + ready_folder("two", alice, "local2") +
         ready_folder("data", alice, "nfs");
}

class Volumes : public PassTest {
 protected:
  Volumes() : PassTest(three_agents()) {}
};

TEST_F(Volumes, AFolderDecidesWhereItsSessionStands) {
  given_.and_given({session_requested("s1", mounting(Spec().cpu(1), "two")),
                    session_requested("s2", mounting(mounting(Spec().cpu(1), "one"), "data")),
                    session_requested("s3", mounting(mounting(Spec().cpu(1), "one"), "two")),
                    session_requested("s4", mounting(Spec().cpu(16), "data")),
                    session_requested("s5", Spec().cpu(16))});
  EXPECT_EQ(pass(), (Lines{"s1 a2", "s2 a1", "s3 no-volume", "s4 no-capacity", "s5 behind-head"}));
  given_.and_given({session_cancelled("s4")});
  EXPECT_EQ(pass(), (Lines{"s5 a3"}));
}

TEST_F(Volumes, ANewLeaderKnowsThem) {
  given_.and_given({session_requested("s1", mounting(Spec().cpu(1), "two")),
                    session_requested("s2", mounting(mounting(Spec().cpu(1), "one"), "two"))});
  lead();
  EXPECT_EQ(pass(), (Lines{"s1 a2", "s2 no-volume"}));
}

// It blocks nobody while it waits.
TEST_F(Volumes, ASessionWaitsUntilAnAgentJoinsWithAllItsVolumes) {
  given_.and_given({session_requested("s1", mounting(mounting(Spec().cpu(1), "one"), "two")),
                    session_requested("s2", Spec().cpu(1))});
  EXPECT_EQ(pass(), (Lines{"s1 no-volume", "s2 a1"}));
  EXPECT_EQ(pass(), (Lines{}));
  given_.and_given({with_volumes(agent_joined("a3", 16, kMemory, {}, 2), {"local1", "local2"})});
  EXPECT_EQ(pass(), (Lines{"s1 a3"}));
}

TEST_F(Volumes, AnAgentThatJoinsWithoutItsVolumeTakesItNoMore) {
  given_.and_given({with_volumes(agent_joined("a2", 16, kMemory, {}, 2), {"nfs"}),
                    session_requested("s1", mounting(Spec().cpu(1), "two"))});
  EXPECT_EQ(pass(), (Lines{"s1 no-volume"}));
}

TEST_F(Volumes, EveryKernelOfAClusterSessionStandsWhereTheFolderIs) {
  v1::SessionSpec spec = mounting(Spec().cpu(10).kernels(2), "data");
  spec.set_mode(v1::MULTI_NODE);
  given_.and_given({session_requested("s1", spec)});
  EXPECT_EQ(pass(), (Lines{"s1 a1 a2"}));
}

}  // namespace
}  // namespace berth::controller
