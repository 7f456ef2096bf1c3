// A journal that lost its first records, by retention or DeleteRecords (P9, P12, P26). No draws. Seed 16 of
// the profile "strange", where nobody led any more.
#include "tests/simulation/seeds/lost_tail_rig.h"

namespace berth::simulation {
namespace {

class LostBeginning : public LostTailRig {
 protected:
  void given_a_leader_whose_state_is_written() {
    given_leader();
    pass(kSecond);
    ASSERT_EQ(controller->stored(), end_of(kJournal));
  }
};

TEST_F(LostBeginning, P12_AControllerThatRestartsWithItsStateLeadsOn) {
  given_a_leader_whose_state_is_written();
  cluster.server->retain(kJournal, controller->stored() - 1);
  controller->crash();
  controller->start(now);
  pass(3 * kSecond);
  ASSERT_TRUE(controller->leading());
  enroll("a3");
  for (const char* agent : {"a1", "a2", "a3"}) EXPECT_TRUE(knows(agent)) << agent;
}

TEST_F(LostBeginning, P12_ALeaderLeadsOnWhereTheRecordsBehindItGo) {
  given_a_leader_whose_state_is_written();
  cluster.server->retain(kJournal, end_of(kJournal));
  enroll("a3");
  pass(5 * kSecond);  // it glances at the journal
  EXPECT_TRUE(controller->leading());
  EXPECT_TRUE(knows("a3"));
}

TEST_F(LostBeginning, P26_AControllerWithoutItsStateRefusesToStart) {
  given_a_leader_whose_state_is_written();
  cluster.server->retain(kJournal, 1);
  controller->crash();
  controller->lose_disk();
  controller->start(now);
  EXPECT_FALSE(controller->up());
  EXPECT_TRUE(controller->has_refused());
  EXPECT_EQ(controller->failure(), "");
}

}  // namespace
}  // namespace berth::simulation
