// Journals that lost what a leader had read and were made good to where it had read, by what no leader
// writes: nothing is out of range, its own records come back to it, and nobody else applies them. No draws:
// one controller, a log without faults, and what is written here.
#include "tests/simulation/seeds/lost_tail_rig.h"

namespace berth::simulation {
namespace {

class LostTail : public LostTailRig {
 protected:
  // Whoever reads the log afresh has the state that the controller has, and the auditor applies as many.
  void expect_that_all_read_the_same() {
    projections::Projection fresh(cluster.cluster, projections::Projection::Tracking::kRows, cluster.trust());
    for (Offset at = 0; at < cluster.server->extent(kJournal).end; ++at)
      fresh.apply(LogEntry{kJournal, at, cluster.server->payload_at(kJournal, at),
                           cluster.server->is_gap(kJournal, at)});
    projections::Projection live(controller->projector().projection());
    EXPECT_EQ(live.chain().rolling(), fresh.chain().rolling());
    EXPECT_EQ(live.state_hash(), fresh.state_hash());
    JournalAuditor auditor(cluster);
    auditor.audit();
    EXPECT_EQ(auditor.applied(), fresh.counters().applied);
  }
};

// Seed 1161488187: a standby that was behind read the log as it was, and took every record of the leader as
// void, who led on for as long as it lived.
TEST_F(LostTail, P12_ALeaderLeadsNoMoreWhereTheJournalGrewPastWhatItHadRead) {
  given_leader();
  when_the_journal_loses(1, 3);
  enroll("a3");  // a record that lands behind all that was read
  pass(5 * kSecond);
  expect_that_all_read_the_same();
  EXPECT_TRUE(controller->leading());
  for (const char* agent : {"a1", "a2", "a3"}) EXPECT_TRUE(knows(agent)) << agent;  // P13: decided again
}

TEST_F(LostTail, P12_ALeaderLeadsNoMoreWhereTheJournalGrewToTheVeryOffsetThatItHadRead) {
  given_leader();
  when_the_journal_loses(1, 1);
  enroll("a3");
  pass(5 * kSecond);
  expect_that_all_read_the_same();
  EXPECT_TRUE(controller->leading());
  for (const char* agent : {"a1", "a2", "a3"}) EXPECT_TRUE(knows(agent)) << agent;
}

// Nothing is decided meanwhile: no record shows it to anybody.
TEST_F(LostTail, P12_ALeaderLeadsNoMoreWhereTheJournalLostItsElection) {
  given_leader();
  const int all = static_cast<int>(cluster.server->extent(kJournal).end);
  when_the_journal_loses(all, all);
  pass(5 * kSecond);
  expect_that_all_read_the_same();
  EXPECT_TRUE(controller->leading());
  EXPECT_TRUE(knows("a2"));
}

}  // namespace
}  // namespace berth::simulation
