// A state of the past is the one that there was, whatever way it is rebuilt.
#include "tests/unit/past/past_rig.h"

namespace berth::testing {
namespace {

// Every table, at every position, but for the rows of requests.
void expect_the_past(PastRig& rig, const TestJournal& journal) {
  for (Offset next = 1; next <= journal.payloads().size(); ++next) {
    const auto state = rig.rebuild(next);
    ASSERT_TRUE(state) << next << ": " << to_string(state.error());
    ASSERT_EQ(rows_of((*state)->state()), folded_rows(journal, next)) << "after " << next << " records";
    ASSERT_EQ((*state)->point.position, next - 1);
    ASSERT_TRUE((*state)->state().requests.sorted_keys().empty());
  }
}

TEST(PastStates, EqualTheStatesThatThereWere) {
  PastRig rig;
  const auto journal = busy_journal(40);
  rig.follow(journal);
  ASSERT_GT(rig.checkpoints->list().size(), 5u);
  expect_the_past(rig, journal);
}

TEST(PastStates, NearACheckpointFoldFewRecords) {
  PastRig rig;
  const auto journal = busy_journal(40);
  rig.follow(journal);
  for (const auto& checkpoint : rig.checkpoints->list()) {
    ASSERT_TRUE(rig.rebuild(checkpoint.next));
    EXPECT_EQ(rig.folded, 0u);
  }
}

TEST(PastStates, AreRebuiltFromAStateAtHandWithoutAChangeOfIt) {
  PastRig rig;
  const auto journal = busy_journal(40);
  rig.follow(journal);
  const auto near = rig.rebuild(20);
  ASSERT_TRUE(near);
  const auto later = rig.rebuild(60, *near);
  ASSERT_TRUE(later);
  EXPECT_EQ(rig.folded, 40u);
  EXPECT_EQ(rows_of((*later)->state()), folded_rows(journal, 60));
  EXPECT_EQ(rows_of((*near)->state()), folded_rows(journal, 20));
}

TEST(PastStates, EqualThoseOfBeforeWhereTheProcessCrashed) {
  PastRig rig;
  auto journal = busy_journal(15);
  rig.follow(journal);
  rig.crash();
  for (int i = 0; i < 20; ++i) journal.append({session_requested("after" + std::to_string(i))});
  rig.follow(journal);
  rig.restart();
  journal.append({session_cancelled("after3")});
  rig.follow(journal);
  expect_the_past(rig, journal);
}

TEST(PastStates, FoldWhatIsBeforeTheFirstCheckpoint) {
  PastRig rig;
  const auto journal = busy_journal(20);
  rig.follow(journal);
  ASSERT_TRUE(rig.checkpoints->erase_after(0));
  expect_the_past(rig, journal);
}

TEST(PastStates, HaveNoEffectOfARecordWhoseClaimWasWrong) {
  PastRig rig;
  auto journal = busy_journal(5);
  v1::Record wrong = journal.next_record({});
  v1::Event head;
  head.mutable_chain_head_recorded()->mutable_claim()->set_offset(3);
  head.mutable_chain_head_recorded()->mutable_claim()->set_rolling(std::string(32, 'x'));
  *wrong.add_events() = head;
  const Offset at = journal.payloads().size();
  journal.append_void(wrong);
  journal.append({session_requested("later")});
  rig.follow(journal, 1);
  ASSERT_TRUE(rig.voids.contains(at));
  ASSERT_TRUE(rig.checkpoints->erase_after(at));
  const auto state = rig.rebuild(journal.payloads().size());
  ASSERT_TRUE(state) << to_string(state.error());
  EXPECT_EQ(rows_of((*state)->state()), rows_of(rig.projector->state()));
  EXPECT_NE((*state)->state().sessions.find(session_id("later")), nullptr);
}

TEST(PastCheckpoints, ThatAreJoinedSayTheSame) {
  PastRig rig;
  const auto journal = busy_journal(60);
  rig.follow(journal);
  const std::size_t before = rig.checkpoints->list().size();
  rig.checkpoints->set_gap([](std::uint64_t age) { return age < 20 ? 0 : std::uint64_t{40}; });
  for (auto more = rig.checkpoints->tidy(); more.ok() && *more;) more = rig.checkpoints->tidy();
  const auto left = rig.checkpoints->list();
  EXPECT_LT(left.size(), before / 2);
  expect_the_past(rig, journal);
}

TEST(PastCheckpoints, ABaseComesBeforeTheChangesPileUp) {
  PastRig rig;
  rig.follow(busy_journal(120));
  int behind = 0;
  for (const auto& checkpoint : rig.checkpoints->list()) {
    behind = checkpoint.base ? 0 : behind + 1;
    EXPECT_LE(behind, 16);
  }
}

TEST(PastCheckpoints, OfAJournalThatWasReplacedGo) {
  PastRig rig;
  const auto journal = busy_journal(30);
  rig.follow(journal);
  ASSERT_TRUE(rig.recorder_->reset(0));
  EXPECT_TRUE(rig.checkpoints->list().empty());
}

TEST(PastCheckpoints, OfAnotherClusterAreBegunAnew) {
  TempDir dir;
  Uuid other = test_cluster();
  {
    auto db = projections::CheckpointDb::open(dir.path() / "past", other);
    ASSERT_TRUE(db);
    projections::PastCheckpoint at;
    at.next = 5;
    at.base = true;
    ASSERT_TRUE((*db)->write(at, {{"\x01key", "row"}}));
  }
  auto db = projections::CheckpointDb::open(dir.path() / "past", Uuid::from_hash(blake2b_128("other")));
  ASSERT_TRUE(db);
  EXPECT_TRUE((*db)->list().empty());
}

TEST(PastTimes, MeanTheLastRecordThatIsNotAfter) {
  PastRig rig;
  auto journal = busy_journal(12);
  rig.follow(journal);
  const auto rebuilder = rig.rebuilder();
  const Offset end = journal.payloads().size();
  const auto record = [&](Offset at) { return **rebuilder.record_at(at, end); };
  for (Offset at = 0; at < end; ++at) {
    const auto found = rebuilder.find(record(at).time, 0, end);
    ASSERT_TRUE(found.ok() && found->has_value());
    Offset last = at;
    while (last + 1 < end && record(last + 1).time <= record(at).time) ++last;
    EXPECT_EQ((*found)->position, last);
  }
  const auto before = rebuilder.find(kTestStart - kSecond, 0, end);
  ASSERT_TRUE(before.ok());
  EXPECT_FALSE(before->has_value());
}

TEST(PastWay, IsTheShorterOneByWhatBothTookBefore) {
  using Costs = projections::PastRebuilder::Costs;
  const Costs unknown, known{kMillisecond / 100, 50 * kMillisecond, 5 * kMillisecond};
  EXPECT_TRUE(projections::PastRebuilder::copies(known, 100, 100))
      << "a state at hand that is no farther is always nearer";
  EXPECT_TRUE(projections::PastRebuilder::copies(unknown, 100, 100 + 2'000));
  EXPECT_FALSE(projections::PastRebuilder::copies(unknown, 100, 100 + 2'001));
  EXPECT_TRUE(projections::PastRebuilder::copies(known, 0, 4'500)) << "45 ms of records and 5 ms of a copy";
  EXPECT_FALSE(projections::PastRebuilder::copies(known, 0, 4'501));
  EXPECT_FALSE(projections::PastRebuilder::copies(known, 0, UINT64_MAX)) << "no sum is too large";
}

}  // namespace
}  // namespace berth::testing
