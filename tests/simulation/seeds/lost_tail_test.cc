// Journals that lost what a leader had read and were made good to where it had read, by what no leader
// writes: nothing is out of range, its own records come back to it, and nobody else applies them. No draws:
// one controller, a log without faults, and what is written here.
#include <gtest/gtest.h>

#include "events/codec/signing.h"
#include "events/schema/v1/request.pb.h"
#include "tests/simulation/checkers.h"

namespace berth::simulation {
namespace {

constexpr Partition kJournal{Stream::kJournal, 0};
constexpr Duration kTurn = 20 * kMillisecond;

class LostTail : public ::testing::Test {
 protected:
  LostTail() {
    cluster.cluster = Rng(1).uuid();
    cluster.secret = std::string(32, 'k');
    cluster.layout.requests = cluster.layout.reports = cluster.layout.orders = 1;
    cluster.server = MemoryLogServer::create(cluster.layout, MemoryLogMode::kAutomatic);
    controller = std::make_unique<SimController>(cluster, "c1", 1, Hostility{});
  }

  void pass(Duration time) {
    for (const Timestamp until = now.boottime + time; now.boottime < until;) {
      now.wall += kTurn;
      now.boottime += kTurn;
      controller->turn({now, now.wall, now.wall});
      ASSERT_EQ(controller->failure(), "");
    }
  }
  void enroll(const std::string& agent) {
    v1::Request request;
    request.set_id(std::string(Rng(++requests).uuid().view()));
    request.set_actor("controller");
    request.set_sent_ms(now.wall / kMillisecond);
    request.mutable_enroll_agent()->set_agent(agent);
    request.mutable_enroll_agent()->set_generation(1);
    const Signer signer(cluster.cluster, "api:test", 1, derive_key(cluster.secret, "api:test", 1));
    cluster.server->put({Stream::kRequests, 0}, signer.sign(Channel::kRequest, request.SerializeAsString()));
    pass(kSecond / 2);
  }
  void given_leader() {
    controller->start(now);
    pass(2 * kSecond);
    ASSERT_TRUE(controller->leading());
    enroll("a1");
    enroll("a2");
    ASSERT_TRUE(knows("a2"));
  }
  // Of the journal's newest `lost` offsets; `put` payloads that are no records follow in their place.
  void when_the_journal_loses(Offset lost, int put) {
    cluster.server->truncate(kJournal, cluster.server->extent(kJournal).end - lost);
    for (int i = 0; i < put; ++i) cluster.server->put(kJournal, "no record");
  }
  bool knows(const std::string& agent) const { return controller->state()->agents.find(agent) != nullptr; }

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

  SimCluster cluster;
  std::unique_ptr<SimController> controller;
  std::uint64_t requests = 0;
  Instant now{1'700'000'000 * kSecond, kSecond};
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
