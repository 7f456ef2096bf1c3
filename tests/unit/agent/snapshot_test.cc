// What a snapshot does to the kernels that an agent has (P21, P25).
#include "tests/unit/agent/agent_fixture.h"

namespace berth::agents {
namespace {

RecoveredKernel recovered(const KernelKey& key, KernelEvent::What what) {
  RecoveredKernel kernel;
  kernel.key = key;
  kernel.what = what;
  kernel.started_at = 5;
  return kernel;
}

class Snapshots : public AgentTest {};

TEST_F(Snapshots, ARunningKernelThatIsNotListedIsStoppedAndForgottenWhenItEnds) {
  make({recovered(kernel(1), KernelEvent::What::kRunning)});
  join();
  snapshot(10);
  EXPECT_EQ(stopped(), Keys{kernel(1)});
  ends(kernel(1), KernelEnd::kStopped);
  ASSERT_EQ(commands<ForgetCommand>().size(), 1u);
  EXPECT_TRUE(agent->kernels().records().empty());
}

TEST_F(Snapshots, P24_AKernelThatNoSnapshotListsKeepsItsDeviceUntilItHasEnded) {
  RecoveredKernel found = recovered(kernel(1), KernelEvent::What::kRunning);
  found.holding = KernelHolding{"old", kUnit, 0, {{"gpu0", "cuda.shares", 2 * kUnit}}};
  make({found});
  join();
  snapshot(10, {desired(start_of(kernel(2), kUnit)), desired(start_of(kernel(3)))});
  EXPECT_EQ(stopped(), Keys{kernel(1)});
  EXPECT_EQ(started(), Keys{kernel(3)}) << "which needs no device";
  ends(kernel(1), KernelEnd::kStopped);
  EXPECT_EQ(started(), Keys{kernel(2)});
}

TEST_F(Snapshots, P24_AFoundKernelKeepsItsDisk) {
  RecoveredKernel found = recovered(kernel(1), KernelEvent::What::kRunning);
  found.holding = KernelHolding{"old", kUnit, 0, {}, 20ll << 30};
  make({found});
  add_slot("disk", 30ll << 30);
  agent = std::make_unique<Agent>(profile, AgentTimes{}, std::vector<RecoveredKernel>{found});
  join();
  v1::StartKernel asks = start_of(kernel(2));
  asks.add_slots()->set_slot("disk");
  asks.mutable_slots(asks.slots_size() - 1)->set_amount(20ll << 30);
  snapshot(10, {desired(asks)});
  EXPECT_EQ(started(), Keys{});
  ends(kernel(1), KernelEnd::kStopped);
  EXPECT_EQ(started(), Keys{kernel(2)});
}

TEST_F(Snapshots, P24_AKernelOfUnknownAmountsKeepsEverythingUntilItHasEnded) {
  make({recovered(kernel(1), KernelEvent::What::kRunning)});
  join();
  snapshot(10, {desired(start_of(kernel(2)))});
  EXPECT_EQ(started(), Keys{});
  ends(kernel(1), KernelEnd::kStopped);
  EXPECT_EQ(started(), Keys{kernel(2)});
}

TEST_F(Snapshots, AFoundKernelThatIsListedCountsOnce) {
  RecoveredKernel found = recovered(kernel(1), KernelEvent::What::kRunning);
  found.holding = KernelHolding{"demo", kUnit / 2, 0, {{"gpu0", "cuda.shares", kUnit}}};
  make({found});
  join();
  snapshot(10, {desired(start_of(kernel(1), kUnit), true), desired(start_of(kernel(2), kUnit))});
  EXPECT_EQ(started(), Keys{kernel(2)});
}

TEST_F(Snapshots, AnEndedKernelThatIsNotListedIsForgotten) {
  make({recovered(kernel(1), KernelEvent::What::kEnded)});
  join();
  snapshot(10);
  ASSERT_EQ(commands<ForgetCommand>().size(), 1u);
  EXPECT_TRUE(agent->kernels().records().empty());
}

TEST_F(Snapshots, AListedKernelThatRunsGoesOnRunning) {
  make({recovered(kernel(1), KernelEvent::What::kRunning)});
  join();
  snapshot(10, {desired(start_of(kernel(1)), true)});
  EXPECT_TRUE(out.commands.empty());
}

TEST_F(Snapshots, AStartedKernelThatTheAgentDoesNotHaveHasAnUnknownResult) {
  join();
  snapshot(10, {desired(start_of(kernel(1)), true)});
  EXPECT_EQ(started(), Keys{});
  EXPECT_EQ(fact_of(kernel(1)).state(), v1::TERMINATED);
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::RESULT_UNKNOWN);
}

TEST_F(Snapshots, AStoppingKernelThatNeverStartedHereEndsAsNeverStarted) {
  join();
  snapshot(10, {desired(start_of(kernel(1)), false, true)});
  EXPECT_EQ(started(), Keys{});
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::NEVER_STARTED);
}

TEST_F(Snapshots, AStoppingKernelThatRunsIsStopped) {
  make({recovered(kernel(1), KernelEvent::What::kRunning)});
  join();
  snapshot(10, {desired(start_of(kernel(1)), true, true)});
  EXPECT_EQ(stopped(), Keys{kernel(1)});
  ends(kernel(1), KernelEnd::kStopped);
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::STOPPED);
}

TEST_F(Snapshots, AnEndedKernelThatIsListedIsToldAgain) {
  make({recovered(kernel(1), KernelEvent::What::kEnded)});
  join();
  snapshot(10, {desired(start_of(kernel(1)), true)});
  EXPECT_EQ(fact_of(kernel(1)).state(), v1::TERMINATED);
}

TEST_F(Snapshots, AKernelThatIsPulledWhileTheAgentJoinsAnewStartsOnlyAfterTheSnapshot) {
  make({}, true);
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  const ImageRequest image = commands<EnsureImage>().at(0).request;
  now.boottime += kSecond;
  join(2);
  when(ImageDone{image, StoredImage{"python:3.11", "", "/rootfs", 1}});
  EXPECT_EQ(started(), Keys{});
  snapshot(12, {desired(start_of(kernel(1)))});
  EXPECT_EQ(started(), Keys{kernel(1)});
  EXPECT_EQ(commands<StartCommand>().at(0).rootfs, "/rootfs");
}

TEST_F(Snapshots, AKernelThatWasRequeuedElsewhereMeanwhileNeverStarts) {
  make({}, true);
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  const ImageRequest image = commands<EnsureImage>().at(0).request;
  now.boottime += kSecond;
  join(2);
  snapshot(12, {});
  when(ImageDone{image, StoredImage{"python:3.11", "", "/rootfs", 1}});
  EXPECT_EQ(started(), Keys{});
}

// The stream of reports lost its end: the agent told it once, and the journal never read it.
TEST_F(Snapshots, AKernelThatIsFurtherThanTheJournalKnowsIsToldAgain) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  runs(kernel(1));
  v1::DesiredKernel known = desired(start_of(kernel(1)), true);
  known.set_state(v1::CREATING);
  snapshot(11, {known});
  EXPECT_EQ(fact_of(kernel(1)).state(), v1::RUNNING);
  known.set_state(v1::RUNNING);
  snapshot(11, {known});
  EXPECT_TRUE(facts().empty());
}

TEST_F(Snapshots, ASnapshotReadTwiceStartsNothingTwice) {
  join();
  snapshot(10, {desired(start_of(kernel(1)))});
  runs(kernel(1));
  ends(kernel(1));
  snapshot(10, {desired(start_of(kernel(1)))});
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Snapshots, LoweringSharesBelowWhatIsAllocatedKeepsTheOldValueAndNamesTheSessions) {
  profile.announced_before = {v1::Device()};
  auto& before = profile.announced_before[0];
  before.set_id("gpu0");
  before.add_slots()->set_slot("cuda.shares");
  before.mutable_slots(0)->set_amount(5 * kUnit);
  make({recovered(kernel(1), KernelEvent::What::kRunning)});
  join();
  EXPECT_EQ(out.reports.at(0).join().agent().devices(0).slots(0).amount(), 5 * kUnit);
  snapshot(10, {desired(start_of(kernel(1), 4 * kUnit), true)});
  EXPECT_TRUE(agent->joined());
  EXPECT_TRUE(warned_of("the old capacity is kept"));
  EXPECT_TRUE(warned_of("demo"));
}

TEST_F(Snapshots, LoweredSharesThatNobodyNeedsAreLoweredByASecondJoin) {
  profile.announced_before = {v1::Device()};
  auto& before = profile.announced_before[0];
  before.set_id("gpu0");
  before.add_slots()->set_slot("cuda.shares");
  before.mutable_slots(0)->set_amount(5 * kUnit);
  make();
  join();
  snapshot(10);
  pass(kSecond);
  EXPECT_TRUE(out.join_wanted);
  join(2);
  EXPECT_EQ(out.reports.at(0).join().agent().devices(0).slots(0).amount(), 2 * kUnit);
  snapshot(11);
  EXPECT_TRUE(agent->joined());
}

}  // namespace
}  // namespace berth::agents
