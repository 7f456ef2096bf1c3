// P28: when /readyz is red, and what it says.
#include "controller/runtime/health.h"

#include <gtest/gtest.h>

#include "controller/runtime/log/log_probe.h"
#include "tests/support/journal.h"
#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

using controller::Health;
using controller::LogProbe;

constexpr Timestamp kNow = 1'000 * kSecond;
constexpr Partition kRequests{Stream::kRequests, 1};

// The checks that fail, "leader: not heard for 4 s; ...".
std::string failing(const Health& health, Timestamp now) {
  std::string text;
  for (const auto& check : health.checks(now))
    if (!check.ok) text += (text.empty() ? "" : "; ") + check.name + ": " + check.detail;
  return text;
}

class HealthTest : public ::testing::Test {
 protected:
  void SetUp() override { told_of_the_log(kNow); }
  void told_of_the_log(Timestamp now) {
    health_.journal_ends(10, now);
    health_.folded(10);
    health_.heartbeat(now);
  }
  Health health_;
};

TEST_F(HealthTest, P28_IsGreenWithALeaderAFoldThatFollowsAndALogThatAnswers) {
  EXPECT_EQ(failing(health_, kNow + 3 * kSecond), "");
  EXPECT_EQ(failing(Health(), kNow), "log: it has not answered yet; leader: none was heard yet");
}

TEST_F(HealthTest, SaysHowManyRecordsAreNotFolded) {
  EXPECT_EQ(health_.lag(), 0u);
  health_.journal_ends(25, kNow);
  EXPECT_EQ(health_.lag(), 15u);
  health_.folded(30);  // more than the log said last
  EXPECT_EQ(health_.lag(), 0u);
}

TEST_F(HealthTest, HasCaughtUpOnceAllIsFoldedThatTheLogHas) {
  EXPECT_TRUE(health_.has_caught_up());
  health_.journal_ends(25, kNow);
  EXPECT_FALSE(health_.has_caught_up());
  health_.folded(25);
  EXPECT_TRUE(health_.has_caught_up());
  Health unasked;
  unasked.folded(10);
  EXPECT_FALSE(unasked.has_caught_up()) << "nobody knows where the log ends";
}

TEST_F(HealthTest, P28_IsRedAfterThreeSecondsWithoutAHeartbeat) {
  EXPECT_EQ(failing(health_, kNow + 4 * kSecond), "leader: not heard for 4 s");
  health_.heartbeat(kNow + 4 * kSecond);
  EXPECT_EQ(failing(health_, kNow + 4 * kSecond), "");
}

TEST_F(HealthTest, P28_IsRedWhenTheLogHasARecordForThreeSecondsThatIsNotFolded) {
  health_.journal_ends(12, kNow);
  health_.journal_ends(15, kNow + 2 * kSecond);
  health_.heartbeat(kNow + 4 * kSecond);
  EXPECT_EQ(failing(health_, kNow + 4 * kSecond), "projection: next 10: the log has had offset 11 for 4 s");
  health_.folded(12);
  EXPECT_EQ(failing(health_, kNow + 4 * kSecond), "") << "it follows";
}

TEST_F(HealthTest, P28_IsRedWhileRecordsOfTheLeadersOwnEpochAreVoid) {
  health_.own_void(7, "link", kNow);
  EXPECT_EQ(failing(health_, kNow + kSecond),
            "leader-records: the record at offset 7 is void (link), 1 s ago");
  health_.elected(true);
  EXPECT_EQ(failing(health_, kNow + kSecond), "") << "another epoch";
}

TEST_F(HealthTest, P28_IsRedWhileAnAppendFailsAndGreenOnceOneSucceeds) {
  health_.append_result(Stream::kJournal,
                        {AppendState::kFailed, 0, make_error("log-io-error", "too many open files")});
  EXPECT_EQ(failing(health_, kNow), "log: log-io-error: too many open files");
  health_.append_result(Stream::kJournal, {AppendState::kDurable, 3, {}});
  EXPECT_EQ(failing(health_, kNow), "");
}

TEST_F(HealthTest, P28_AStandbyIsNotRedForWhatItFailedToAppendAsTheLeader) {
  const AppendResult failed{AppendState::kUnknown, 0, make_error("log-unavailable", "purged")};
  health_.append_result(Stream::kJournal, failed);
  health_.append_result(Stream::kOrders, failed);
  health_.elected(true);
  EXPECT_EQ(failing(health_, kNow), "");
  health_.append_result(Stream::kHealth, failed);
  EXPECT_EQ(failing(health_, kNow), "") << "of an append of before that fails late";
  health_.elected(false);
  EXPECT_EQ(failing(health_, kNow), "") << "it leads again, and has appended its election";
  health_.append_result(Stream::kControl, failed);
  EXPECT_EQ(failing(health_, kNow), "log: log-unavailable: purged");
}

TEST_F(HealthTest, P28_IsRedWhileTheStoreFails) {
  health_.store_result(make_error("disk-full", "no space"));
  EXPECT_EQ(failing(health_, kNow), "projection: disk-full: no space");
  health_.store_result(Result<void>());
  EXPECT_EQ(failing(health_, kNow), "");
}

TEST_F(HealthTest, P28_IsRedWhenTheLogHasNotAnsweredForTenSeconds) {
  health_.heartbeat(kNow + 11 * kSecond);
  EXPECT_EQ(failing(health_, kNow + 11 * kSecond), "log: no answer for 11 s");
}

// ---- inputs that wait ----

class HandClock final : public Clock {
 public:
  Instant now() const override { return {at, at}; }
  Timestamp at = kNow;
};

class ProbeTest : public ::testing::Test {
 protected:
  // A look, `later` after the one before.
  std::string look(Duration later = 0) {
    clock_.at += later;
    probe_.look();
    health_.heartbeat(clock_.at);
    return failing(health_, clock_.at);
  }
  ThreadedMemoryLog log_;
  HandClock clock_;
  Health health_;
  Offset next_ = 0;
  LogProbe probe_{log_, clock_, [this](const Partition& p) { return p == kRequests ? next_ : 0; }, health_};
};

TEST_F(ProbeTest, P28_IsRedWhenAnInputLiesInItsStreamForLongerThanDAndNobodyTakesIt) {
  EXPECT_EQ(look(), "");
  log_.append(kRequests, {}, "an input", {});
  EXPECT_EQ(look(), "");
  EXPECT_EQ(look(5 * kSecond), "");
  EXPECT_EQ(look(kSecond), "decisions: requests/1 offset 0 has waited for 6 s");
  next_ = 1;
  EXPECT_EQ(look(kSecond), "");
}

TEST_F(ProbeTest, P28_InputsThatAreTakenOneByOneDoNotWait) {
  for (int i = 0; i < 10; ++i) log_.append(kRequests, {}, "an input", {});
  for (int i = 0; i < 9; ++i, ++next_) EXPECT_EQ(look(4 * kSecond), "");
}

// ---- a node ----

TEST(ReadyNode, P28_TurnsRedWhenTheLeaderIsNoLongerHeardAndReadsGoOn) {
  ThreadedMemoryLog log;
  const TempDir folder;
  NodeRig rig(log, folder.path());
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());
  ASSERT_TRUE(rig.await([&] { return rig.failing("leader").empty() && rig.failing("log").empty(); }));
  log.fail_appends(Stream::kControl, 1'000'000);
  ASSERT_TRUE(rig.await([&] { return rig.failing("leader").starts_with("not heard for 3 s"); }));
  EXPECT_NE(rig.failing("log").find("told to fail"), std::string::npos) << rig.failing("log");
  EXPECT_FALSE(rig.api().read_journal(0, 10, 1u << 20)->records.empty());
}

TEST(ReadyNode, P28_TurnsRedWhenRecordsOfItsEpochAreVoid) {
  ThreadedMemoryLog log;
  const TempDir folder;
  NodeRig rig(log, folder.path());
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());
  v1::Record record;
  rig.api().with_state([&](const controller::StateView& view) {
    record.mutable_header()->set_epoch(view.state.epoch().epoch);
    record.mutable_header()->set_sequence(9'999);
    record.mutable_header()->set_time_ns(view.state.epoch().time);
  });
  record.add_events()->mutable_clock_confirmed();
  log.append(kJournal, {}, NodeRig::journal_signer().sign(record.SerializeAsString()), {});
  EXPECT_TRUE(
      rig.await([&] { return rig.failing("leader-records").find("is void (") != std::string::npos; }));
}

// Of two controllers that stand at once after an outage one comes too late, and leads nobody.
TEST(ReadyNode, P28_StaysGreenWhereACandidateCameTooLate) {
  ThreadedMemoryLog log;
  const TempDir folder;
  NodeRig rig(log, folder.path());
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());
  v1::Record record;
  rig.api().with_state([&](const controller::StateView& view) {
    record.mutable_header()->set_epoch(view.state.epoch().epoch);
    record.mutable_header()->set_time_ns(view.state.epoch().time);
  });
  auto& late = *record.add_events()->mutable_controller_elected();
  late.set_controller("c2");
  late.set_nonce(std::string(16, 'n'));
  late.set_rules(kRules);
  late.mutable_claim()->set_rolling(std::string(32, '\0'));
  const Offset at = log.extent(kJournal)->end;
  log.append(kJournal, {}, NodeRig::journal_signer().sign(record.SerializeAsString()), {});
  ASSERT_TRUE(rig.await([&] { return rig.api().facts().voids > 0; }));
  EXPECT_TRUE(rig.node().voids().contains(at));
  EXPECT_EQ(rig.failing("leader-records"), "");
}

}  // namespace
}  // namespace berth::testing
