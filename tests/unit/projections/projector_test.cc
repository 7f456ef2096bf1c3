#include "projections/store/projector.h"

#include <gtest/gtest.h>

#include "events/codec/envelope.h"
#include "events/log/memory_log.h"
#include "tests/support/projector_rig.h"

namespace berth::testing {
namespace {

using projections::JournalFollower;
using projections::MemoryStore;
using projections::Projector;
using projections::ProjectorOptions;

constexpr Partition kJournal{Stream::kJournal, 0};

// A journal in a memory log, a store, a projector and a follower of it.
struct Rig {
  explicit Rig(ProjectorOptions options = {}) : options_(std::move(options)) { start(); }

  void publish(const TestJournal& journal) {
    for (const auto& entry : journal.entries(server->extent(kJournal).end)) {
      if (entry.gap)
        server->add_gap(kJournal);
      else
        log->append(kJournal, {}, entry.payload, {});
    }
  }
  // As a crash would: only the store and the log stay.
  void restart() {
    follower.reset();
    projector.reset();
    start();
  }
  void start() {
    log = server->connect();
    projector = std::make_unique<Projector>(test_cluster(), store, options_, &told);
    ASSERT_TRUE(projector->open());
    follower = std::make_unique<JournalFollower>(*log, *projector);
    ASSERT_TRUE(follower->open());
  }
  // Until nothing more comes; the first final error.
  Result<void> run(Timestamp now = 1) {
    for (int quiet = 0; quiet < 2;) {
      auto taken = follower->step(0, now);
      if (!taken) return taken.error();
      quiet = *taken == 0 ? quiet + 1 : 0;
    }
    return {};
  }

  ProjectorOptions options_;
  std::shared_ptr<MemoryLogServer> server = MemoryLogServer::create({}, MemoryLogMode::kAutomatic);
  MemoryStore store;
  Told told;
  std::unique_ptr<EventLog> log;
  std::unique_ptr<Projector> projector;
  std::unique_ptr<JournalFollower> follower;
};

TEST(Projector, FollowsTheJournalAndTellsOfEachRecord) {
  Rig rig;
  const auto journal = busy_journal(50);
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(journal));
  ASSERT_EQ(rig.told.records.size(), journal.payloads().size());
  EXPECT_EQ(rig.told.records.back(), journal.payloads().size() - 1);
  EXPECT_EQ(rig.told.depth, 0);
}

TEST(Projector, WritesAfterSoManyRecordsOrSoMuchTime) {
  Rig rig({.flush_records = 10, .flush_every = kSecond});
  auto journal = busy_journal(0);
  rig.publish(journal);
  ASSERT_TRUE(rig.run(5));
  EXPECT_EQ(rig.store.writes(), 0u);
  ASSERT_TRUE(rig.run(5 + kSecond));
  EXPECT_EQ(rig.store.writes(), 1u) << "by time";
  for (int i = 0; i < 10; ++i) journal.append({session_requested("s" + std::to_string(i))});
  rig.publish(journal);
  ASSERT_TRUE(rig.run(5 + kSecond));
  EXPECT_EQ(rig.store.writes(), 2u) << "by number";
}

TEST(Projector, P17_AfterACrashItGoesOnFromTheLastBatchToTheSameState) {
  Rig rig({.flush_records = 7});
  auto journal = busy_journal(30);
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  const MemoryStore older = rig.store;
  for (int i = 0; i < 5; ++i) journal.append({session_requested("t" + std::to_string(i))});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  rig.store = older;  // the machine lost the last batches
  rig.restart();
  EXPECT_LT(rig.projector->next(), journal.payloads().size());
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(journal));
}

TEST(Projector, P17_WritesNothingThatWasNotReadBack) {
  Rig rig({.flush_records = 1});
  const auto journal = busy_journal(20);
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  const auto meta = rig.store.read_meta();
  ASSERT_TRUE(meta && meta->has_value());
  EXPECT_EQ((*meta)->next, rig.server->extent(kJournal).end);
  EXPECT_EQ(to_hex(as_view((*meta)->state_hash)), folded_hash(journal));
  EXPECT_EQ((*meta)->rolling, journal.chain().rolling());
}

TEST(Projector, AFullDiskIsRetriedAndNothingIsLost) {
  Rig rig({.flush_records = 1, .unsaved_rows_max = 5});
  rig.store.fail_writes(make_error("disk-full", "no space"), 3);
  const auto journal = busy_journal(30);
  rig.publish(journal);
  int full = 0;
  for (int i = 0; i < 100; ++i) {
    const auto taken = rig.follower->step(0, i);
    if (taken) continue;
    EXPECT_EQ(taken.error().code, "disk-full");
    EXPECT_TRUE(JournalFollower::may_go_on(taken.error()));
    ++full;
  }
  EXPECT_EQ(full, 3);
  rig.restart();
  EXPECT_EQ(rig.projector->next(), journal.payloads().size());
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(journal));
}

TEST(Projector, AFailedDiskIsFinal) {
  Rig rig({.flush_records = 1});
  rig.store.fail_writes(make_error("store-failed", "read only"), 1);
  rig.publish(busy_journal(1));
  const auto done = rig.run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "store-failed");
  EXPECT_FALSE(JournalFollower::may_go_on(done.error()));
}

TEST(Projector, ADamagedStoreIsDroppedAndRebuiltFromTheJournal) {
  Rig rig({.flush_records = 1});
  const auto journal = busy_journal(20);
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  rig.store.damage_a_row();
  rig.restart();
  EXPECT_EQ(rig.told.warnings, std::vector<std::string>{"store-corrupt"});
  EXPECT_EQ(rig.projector->next(), 0u);
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(journal));
}

TEST(Projector, P18_ADamagedStoreIsReplacedByItsCheckpoint) {
  Rig rig({.flush_records = 1, .checkpoint_records = 20});
  const auto journal = busy_journal(40);
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  rig.store.damage_a_row();
  rig.restart();
  EXPECT_GE(rig.projector->next(), 20u);
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(journal));
}

// A log whose last two records are gone, and a projector that has read them.
struct Shortened {
  explicit Shortened(Rig& rig) : journal(busy_journal(10)) {
    TestJournal longer = journal;
    longer.append({session_requested("lost")});
    longer.append({session_requested("lost too")});
    rig.publish(longer);
    EXPECT_TRUE(rig.run());
    rig.server->truncate(kJournal, journal.payloads().size());
  }
  TestJournal journal;
};

TEST(Projector, P26_ALogThatEndsBeforeTheStoreIsRefusedAtStartAndBothAreNamed) {
  Rig rig({.flush_records = 1});
  const Offset left = Shortened(rig).journal.payloads().size();
  JournalFollower again(*rig.log, *rig.projector, {false, "local:/data/log", "/data/state"});
  const auto opened = again.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "log-truncated");
  for (const std::string& named : {std::to_string(left), std::to_string(left + 2),
                                   std::string("local:/data/log"), std::string("/data/state")})
    EXPECT_NE(opened.error().message.find(named), std::string::npos) << opened.error().message;
  EXPECT_NE(opened.error().hint.find("--accept-truncation"), std::string::npos);
  EXPECT_TRUE(rig.told.rebuilt.empty());
}

TEST(Projector, P26_WhoAcceptsTheTruncationGetsTheStateOfTheLogAsItIs) {
  Rig rig({.flush_records = 1});
  const Shortened shortened(rig);
  JournalFollower again(*rig.log, *rig.projector, {.accept_truncation = true});
  ASSERT_TRUE(again.open());
  ASSERT_TRUE(again.step(0, 1));
  EXPECT_EQ(rig.told.rebuilt, std::vector<std::string>{"log-truncated@0"});
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(shortened.journal));
  EXPECT_FALSE(again.take_truncation());
}

TEST(Projector, P26_ARunningReaderFollowsTheLogAndTellsWhatIsGoneOnce) {
  Rig rig({.flush_records = 1});
  const Offset left = Shortened(rig).journal.payloads().size();
  ASSERT_TRUE(rig.run());
  const auto gone = rig.follower->take_truncation();
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->read, left + 2);
  EXPECT_EQ(gone->left, left);
  EXPECT_FALSE(rig.follower->take_truncation());
}

TEST(Projector, AShorterLogMeansThatTheProjectionIsRebuiltFromIt) {
  Rig rig({.flush_records = 1});
  auto journal = busy_journal(10);
  const auto shorter = journal;
  journal.append({session_requested("lost")});
  journal.append({session_requested("lost too")});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  rig.server->truncate(kJournal, shorter.payloads().size());
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(rig.told.rebuilt, std::vector<std::string>{"offset-out-of-range@0"});
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(shorter));
}

// The log lost its end and another leader wrote on: this reader has read what is no longer there.
TEST(Projector, P12_AClaimThatShowsThisCopyToBeWrongMakesItStartAnew) {
  Rig rig({.flush_records = 1});
  auto journal = busy_journal(10);
  auto other = journal;
  journal.append({session_requested("lost")});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  rig.server->truncate(kJournal, other.payloads().size());
  other.append({session_requested("kept")});
  other.elect("c2");
  rig.publish(other);
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(rig.told.rebuilt, std::vector<std::string>{"claim-mismatch@0"});
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(other));
  EXPECT_EQ(rig.projector->state().epoch().controller, "c2");
}

// As long as what was read: nothing is out of range and no claim comes. Seed 2315 of the simulator, where it
// took up to 3 s.
TEST(Projector, P12_ALogThatLostItsTailAndGrewAgainIsSuspiciousAndComparingWithItMakesItStartAnew) {
  Rig rig({.flush_records = 1});
  auto journal = busy_journal(10);
  auto other = journal;
  journal.append({session_requested("lost")});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  EXPECT_FALSE(rig.told.suspicious);
  rig.server->truncate(kJournal, other.payloads().size());
  other.append({session_requested("kept")});
  other.append({session_requested("next")});
  rig.publish(other);
  ASSERT_TRUE(rig.run());
  EXPECT_TRUE(rig.told.rebuilt.empty());
  EXPECT_TRUE(rig.told.suspicious);
  ASSERT_TRUE(rig.follower->check_against_log());
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(rig.told.rebuilt, std::vector<std::string>{"journal-replaced@0"});
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(other));
}

// A log that lost the record `lost`, the newest that was read, and got `put` in its place before the leader,
// who has read the lost one, wrote on.
struct LostAndMadeGood {
  explicit LostAndMadeGood(int put) {
    journal.append({session_requested("lost")});
    rig.publish(journal);
    EXPECT_TRUE(rig.run());
    const Offset lost = journal.payloads().size() - 1;
    rig.server->truncate(kJournal, lost);
    for (int i = 0; i < put; ++i) rig.server->put(kJournal, "no record");
    rig.server->put(kJournal, journal.append({session_requested("built on it")}));
    EXPECT_TRUE(rig.run());
    EXPECT_EQ(hash_of(*rig.projector), folded_hash(journal));  // which nobody else has
    EXPECT_TRUE(rig.told.rebuilt.empty());
  }
  // It has what the log gives: neither the lost record nor what was built on it.
  void expect_to_start_anew() {
    EXPECT_TRUE(rig.run());
    EXPECT_EQ(rig.told.rebuilt, std::vector<std::string>{"journal-replaced@0"});
    EXPECT_EQ(hash_of(*rig.projector), folded_hash(kept));
  }
  Rig rig{{.flush_records = 1}};
  TestJournal journal = busy_journal(10);
  TestJournal kept = journal;
};

// Seed 1161488187 of the simulator, where leader and standby went on with other states for as long as they
// lived.
TEST(Projector, P12_ALogThatGrewPastALossByWhatNoLeaderWritesIsSuspicious) {
  LostAndMadeGood log(3);
  EXPECT_TRUE(log.rig.told.suspicious);
  ASSERT_TRUE(log.rig.follower->check_against_log());
  log.expect_to_start_anew();
}

TEST(Projector, P12_AGlanceFindsALossThatWasMadeGoodToTheVeryOffset) {
  LostAndMadeGood log(1);
  EXPECT_FALSE(log.rig.told.suspicious);
  ASSERT_TRUE(log.rig.follower->glance());
  log.expect_to_start_anew();
}

// The log has lost the record by which history was pruned: what is still there is in answers again.
TEST(Projector, P35_ABoundOfHistoryThatTheLogLostIsNoBoundAnyMore) {
  Rig rig({.flush_records = 1});
  auto journal = busy_journal(10);
  const auto kept = journal;
  v1::Event pruned;
  pruned.mutable_history_pruned()->set_before_ns(journal.time());
  journal.append({pruned});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  ASSERT_EQ(rig.store.kept_from(), rig.projector->state().kept().pruned_before);
  ASSERT_NE(rig.store.kept_from(), 0);
  rig.server->truncate(kJournal, kept.payloads().size());
  ASSERT_TRUE(rig.follower->check_against_log());
  EXPECT_EQ(rig.projector->state().kept().pruned_before, 0);
  EXPECT_EQ(rig.store.kept_from(), 0);
}

// Deleted records, or a retention that somebody set.
TEST(Projector, P12_AJournalThatLostItsBeginningIsComparedFromWhereItBegins) {
  Rig rig({.flush_records = 1});
  auto journal = busy_journal(10);
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  rig.server->retain(kJournal, 5);
  ASSERT_TRUE(rig.follower->check_against_log());
  ASSERT_TRUE(rig.follower->glance());
  EXPECT_TRUE(rig.told.rebuilt.empty());
  journal.append({session_requested("later")});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(journal));
  rig.restart();
  EXPECT_EQ(rig.follower->lost_beginning(), 5u);
  ASSERT_TRUE(rig.follower->check_against_log());
}

// What it would need to start anew is gone.
TEST(Projector, P12_ACopyThatMustStartAnewOnAJournalWithoutItsBeginningStopsByName) {
  LostAndMadeGood log(3);
  log.rig.server->retain(kJournal, 2);
  auto done = log.rig.follower->check_against_log();
  for (int i = 0; i < 3 && done; ++i) done = log.rig.run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "log-beginning-lost") << to_string(done.error());
  EXPECT_FALSE(JournalFollower::may_go_on(done.error()));
}

// The gap behind what was lost came back as it was.
TEST(Projector, P12_AGlanceFindsALossRightBeforeTheOneBefore) {
  Rig rig({.flush_records = 1});
  auto journal = busy_journal(10);
  const auto kept = journal;
  journal.append({session_requested("lost")});
  journal.add_gap();
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  ASSERT_TRUE(rig.follower->glance());
  EXPECT_TRUE(rig.told.rebuilt.empty());
  rig.server->truncate(kJournal, kept.payloads().size());
  rig.server->add_gap(kJournal);
  rig.server->add_gap(kJournal);
  ASSERT_TRUE(rig.follower->glance());
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(rig.told.rebuilt, std::vector<std::string>{"journal-replaced@0"});
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(kept));
}

TEST(Projector, P12_ALogThatIsOutOfReachOnceTheCopyStartedAnewIsReadFromThere) {
  struct Away final : Told {
    void on_rebuilt(const Error& why, Offset from) override {
      Told::on_rebuilt(why, from);
      server->set_reachable(Stream::kJournal, false);
    }
    MemoryLogServer* server = nullptr;
  } told;
  auto server = MemoryLogServer::create({}, MemoryLogMode::kAutomatic);
  told.server = server.get();
  MemoryStore store;
  const auto log = server->connect();
  Projector projector(test_cluster(), store, {.flush_records = 1, .checkpoint_records = 20}, &told);
  ASSERT_TRUE(projector.open());
  JournalFollower follower(*log, projector);
  ASSERT_TRUE(follower.open());
  auto journal = busy_journal(10);
  const auto kept = journal;
  for (const auto& payload : journal.payloads()) server->put(kJournal, payload);
  while (*follower.step(0, 1) > 0) continue;
  server->put(kJournal, journal.append({session_requested("lost")}));
  ASSERT_TRUE(follower.step(0, 1));
  server->truncate(kJournal, kept.payloads().size());
  server->put(kJournal, "no record");
  EXPECT_EQ(follower.check_against_log().error().code, "log-unavailable");
  server->set_reachable(Stream::kJournal, true);
  server->put(kJournal, "no record");
  ASSERT_TRUE(follower.step(0, 1));
  while (*follower.step(0, 1) > 0) continue;
  EXPECT_EQ(projector.next(), server->extent(kJournal).end);
  EXPECT_EQ(hash_of(projector), folded_hash(kept));
}

// The election behind it claims a rolling hash over the gap: were the gap read in any other way, it would be
// void.
TEST(Projector, P30_AGapInTheJournalIsAVoidRecordWithALinkOfZeroBytes) {
  Rig rig({.flush_records = 1});
  auto journal = busy_journal(10);
  journal.add_gap();
  journal.append({session_requested("behind")});
  journal.add_gap();
  journal.elect("c2");
  journal.add_gap();
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(rig.projector->next(), journal.payloads().size());
  EXPECT_EQ(rig.told.records.size(), journal.payloads().size());
  EXPECT_EQ(rig.projector->projection().counters().voided, 3u);
  EXPECT_EQ(rig.projector->projection().chain().rolling(), journal.chain().rolling());
  EXPECT_EQ(rig.projector->state().epoch().controller, "c2");
  EXPECT_NE(rig.projector->state().sessions.find(session_id("behind")), nullptr);
  ASSERT_TRUE(rig.follower->check_against_log());  // over gaps, and to the gap at the end
  EXPECT_TRUE(rig.told.rebuilt.empty());
  rig.restart();
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(rig.projector->projection().chain().rolling(), journal.chain().rolling());
}

TEST(Projector, P12_ItStartsAnewFromACheckpointThatIsStillOfThisLog) {
  Rig rig({.flush_records = 1, .checkpoint_records = 20});
  auto journal = busy_journal(10);
  auto other = journal;
  rig.publish(journal);
  ASSERT_TRUE(rig.run());  // and a checkpoint
  journal.append({session_requested("lost")});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  rig.server->truncate(kJournal, other.payloads().size());
  other.append({session_requested("kept")});
  other.elect("c2");
  rig.publish(other);
  ASSERT_TRUE(rig.run());
  const auto shared = std::to_string(other.payloads().size() - 2);
  EXPECT_EQ(rig.told.rebuilt, std::vector<std::string>{"claim-mismatch@" + shared});
  EXPECT_EQ(hash_of(*rig.projector), folded_hash(other));
}

TEST(Projector, P12_AWrongClaimIsVoidAndThisCopyStays) {
  Rig rig;
  auto journal = busy_journal(10);
  v1::Record election;
  auto* elected = election.add_events()->mutable_controller_elected();
  elected->set_controller("stray");
  elected->set_nonce(wire("nonce"));
  elected->set_rules(kRules);
  elected->mutable_claim()->set_offset(5);
  elected->mutable_claim()->set_rolling(std::string(32, 'x'));
  election.mutable_header()->set_epoch(2);
  election.mutable_header()->set_time_ns(journal.time());
  journal.append_void(election);
  journal.append({session_requested("after")});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  EXPECT_TRUE(rig.told.rebuilt.empty());
  EXPECT_EQ(rig.projector->next(), journal.payloads().size());
  EXPECT_EQ(rig.projector->state().epoch().controller, "c1");
  EXPECT_NE(rig.projector->state().sessions.find(session_id("after")), nullptr);
}

// Pads the journal up to the next chain point, so that a state hash is known there, and claims it with
// `hash`.
void claim_state(TestJournal& journal, const std::string& hash) {
  while (journal.chain().next() % projections::kChainEvery != 0) journal.append({clock_confirmed()});
  journal.append_chain_head(hash);
}

TEST(Projector, P12_AStateHashThatDiffersIsRebuiltForOnceAndThenNamesBothBuilds) {
  Rig rig({.build = "berth 9.9 abcdef"});
  auto journal = busy_journal(10);
  claim_state(journal, std::string(16, 'x'));
  rig.publish(journal);
  const auto done = rig.run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "state-differs");
  EXPECT_NE(done.error().message.find("berth 9.9 abcdef"), std::string::npos);
  EXPECT_NE(done.error().message.find("c1"), std::string::npos);
  EXPECT_EQ(rig.told.rebuilt, std::vector<std::string>{"state-differs@0"});
}

TEST(Projector, P12_AStateHashThatAgreesIsRemembered) {
  Rig rig;
  auto journal = busy_journal(10);
  while (journal.chain().next() % projections::kChainEvery != 0) journal.append({clock_confirmed()});
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  ASSERT_EQ(rig.told.points.size(), 1u);
  ASSERT_TRUE(rig.told.points[0].state_hash.has_value());
  journal.append_chain_head(std::string(as_view(*rig.told.points[0].state_hash)));
  rig.publish(journal);
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(rig.projector->verified(), projections::kChainEvery);
}

TEST(Projector, P3_ANewerRecordStopsItForGood) {
  Rig rig;
  auto journal = busy_journal(3);
  auto record = journal.next_record({session_requested("s")});
  Envelope newer;
  newer.cluster = test_cluster();
  newer.min_reader = kReaderVersion + 1;
  const std::string body = record.SerializeAsString();
  newer.body = body;
  journal.append_bytes(make_envelope(newer));
  rig.publish(journal);
  const auto done = rig.run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "reader-too-old");
  EXPECT_FALSE(JournalFollower::may_go_on(done.error()));
}

}  // namespace
}  // namespace berth::testing
