// The contract's tests themselves; each implementation's test file includes this once.
#pragma once

#include "tests/contract/kernel_backend_contract.h"

namespace berth::agents::contract {

using What = KernelEvent::What;

TEST_P(KernelBackendContract, RunsAProgramAndTellsHowItEnded) {
  const KernelKey key = start(Program::kExit7);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(count(key, What::kCreating), 1u);
  EXPECT_EQ(count(key, What::kRunning), 1u);
  EXPECT_EQ(count(key, What::kEnded), 1u);
}

TEST_P(KernelBackendContract, StartsAKernelThatHasOurInitAloneAndKeepsItsLimits) {
  const auto rootfs = backend_->bare_rootfs();
  ASSERT_TRUE(rootfs.ok()) << to_string(rootfs.error());
  const KernelSpec spec = waiting_spec();
  started_.push_back(spec.key);
  backend_->start(spec, *rootfs);
  const KernelEvent running = await_running(spec.key);
  const auto kept = backend_->check_kept(spec, running.pid);
  EXPECT_TRUE(kept.ok()) << to_string(kept.error());
  if (std::string(backend_->name()) == "oci") {
    KernelSpec other = spec;
    other.mem = spec.mem / 2;
    EXPECT_EQ(backend_->check_kept(other, running.pid).error().code, "limit-not-kept");
    other = spec;
    other.cpu = spec.cpu / 2;
    EXPECT_EQ(backend_->check_kept(other, running.pid).error().code, "limit-not-kept");
    EXPECT_EQ(backend_->check_kept(spec, getpid()).error().code, "limit-not-kept") << "of no container";
  }
  backend_->stop(spec.key, 0);
  EXPECT_EQ(await_end(spec.key).end, KernelEnd::kStopped);
}

TEST_P(KernelBackendContract, TellsTheSignalThatEndedAProgram) {
  const KernelEvent end = await_end(start(Program::kDies));
  EXPECT_EQ(end.end, KernelEnd::kSignalled);
  EXPECT_EQ(end.exit_code, 137);
}

TEST_P(KernelBackendContract, SaysThatItRunsBeforeItEnds) {
  const KernelKey key = start(Program::kLong);
  const KernelEvent running = await_running(key);
  EXPECT_GT(running.pid, 0);
  EXPECT_FALSE(find(key, What::kEnded));
}

TEST_P(KernelBackendContract, KeepsWhatAProgramPrinted) {
  const KernelKey key = start(Program::kHello);
  await_end(key);
  const auto page = backend_->read_log(key, 0, 4096);
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->bytes, "hello\n");
  EXPECT_TRUE(page->ended);
  EXPECT_EQ(backend_->read_log(key, -3, 4096)->bytes, "lo\n");
  EXPECT_EQ(backend_->read_log(key, 2, 2)->bytes, "ll");
  EXPECT_FALSE(backend_->read_log(key, 2, 2)->ended);
}

TEST_P(KernelBackendContract, KnowsNoLogOfAKernelThatItNeverSaw) {
  const auto page = backend_->read_log(waiting_spec().key, 0, 100);
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().code, "unknown-kernel");
}

// As a shell: the kernel was made and ran, its command was not found.
TEST_P(KernelBackendContract, EndsWith127WhenTheCommandIsNotThere) {
  const KernelEvent end = await_end(start(Program::kMissing));
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 127);
}

TEST_P(KernelBackendContract, WithoutACommandAKernelWaitsUntilItIsStopped) {
  const KernelKey key = start(waiting_spec());
  await_running(key);
  backend_->stop(key, 10 * kSecond);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST_P(KernelBackendContract, StopsAProgramThatObeys) {
  const KernelKey key = start(Program::kLong);
  await_running(key);
  backend_->stop(key, 15 * kSecond);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kStopped);
  EXPECT_EQ(end.exit_code, 143);
}

TEST_P(KernelBackendContract, KillsAProgramThatIgnoresTheStopAfterItsGrace) {
  const KernelKey key = start(Program::kIgnoreTerm);
  await_log(key, "ready");
  backend_->stop(key, kSecond / 2);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kStopped);
  EXPECT_EQ(end.exit_code, 137);
}

TEST_P(KernelBackendContract, AStopWithLessPatienceOverridesTheFirst) {
  const KernelKey key = start(Program::kIgnoreTerm);
  await_log(key, "ready");
  backend_->stop(key, kHour);
  backend_->stop(key, 0);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST_P(KernelBackendContract, AStopThatComesWithTheStartStillEndsTheKernel) {
  const KernelKey key = start(Program::kLong);
  backend_->stop(key, kSecond);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST_P(KernelBackendContract, StartingAKernelTwiceStartsItOnce) {
  const KernelSpec twice = spec(Program::kCount);
  const KernelKey key = start(twice);
  backend_->start(twice, rig_->rootfs());
  await_running(key);
  backend_->start(twice, rig_->rootfs());
  await_log(key, "run\n");
  reopen();
  backend_->start(twice, rig_->rootfs());
  backend_->stop(key, 0);
  await_end(key);
  EXPECT_EQ(log(key), "run\n");
}

TEST_P(KernelBackendContract, StoppingOrForgettingAnUnknownKernelDoesNothing) {
  backend_->stop(waiting_spec().key, 0);
  backend_->forget(waiting_spec().key);
  EXPECT_EQ(await_end(start(Program::kTrue)).exit_code, 0);
}

TEST_P(KernelBackendContract, ANewAgentFindsTheSameKernelRunning) {
  const KernelKey key = start(Program::kLong);
  const KernelEvent before = await_running(key);
  const auto found = reopen();
  const RecoveredKernel* kernel = find_in(found, key);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->what, What::kRunning);
  EXPECT_EQ(kernel->pid, before.pid);
  EXPECT_EQ(kernel->started_at, before.started_at);
  backend_->stop(key, 15 * kSecond);
  EXPECT_EQ(await_end(key).exit_code, 143);
}

TEST_P(KernelBackendContract, P24_ANewAgentKnowsWhatAFoundKernelHas) {
  KernelSpec asked = spec(Program::kLong);
  asked.devices = {{"gpu 0", "cuda.shares", kUnit / 2}};
  asked.egress = Egress::kRegistries;
  const KernelKey key = start(asked);
  await_running(key);
  const auto found = reopen();
  ASSERT_NE(find_in(found, key), nullptr);
  ASSERT_TRUE(find_in(found, key)->holding.has_value());
  const KernelHolding& holding = *find_in(found, key)->holding;
  EXPECT_EQ(holding.session_name, "demo-1");
  EXPECT_EQ(find_in(found, key)->egress, asked.egress);
  EXPECT_EQ(holding.cpu, asked.cpu);
  EXPECT_EQ(holding.mem, asked.mem);
  ASSERT_EQ(holding.devices.size(), 1u);
  EXPECT_EQ(holding.devices[0].device + "/" + holding.devices[0].slot, "gpu 0/cuda.shares");
  EXPECT_EQ(holding.devices[0].amount, kUnit / 2);
}

TEST_P(KernelBackendContract, ANewAgentHearsTheEndOfAKernelOfTheOldOne) {
  const KernelKey key = start(Program::kShort);
  await_running(key);
  reopen();
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 5);
}

TEST_P(KernelBackendContract, AnEndIsReportedAgainUntilItIsForgotten) {
  const KernelKey key = start(Program::kExit7);
  await_end(key);
  auto found = reopen();
  ASSERT_NE(find_in(found, key), nullptr);
  EXPECT_EQ(find_in(found, key)->end, KernelEnd::kExited);
  EXPECT_EQ(find_in(found, key)->exit_code, 7);
  backend_->forget(key);
  await_end(start(Program::kTrue));  // commands are done in order: the forget is done
  found = reopen();
  EXPECT_EQ(find_in(found, key), nullptr);
}

// The journal may have lost its end, and has it started once more.
TEST_P(KernelBackendContract, P35_AKernelThatWasForgottenNeverRunsAgain) {
  const KernelSpec asked = spec(Program::kExit7);
  const KernelKey key = start(asked);
  await_end(key);
  for (const bool reopened : {false, true}) {
    backend_->forget(key);
    await_end(start(Program::kTrue));  // commands are done in order: the forget is done
    if (reopened) reopen();
    events_.clear();
    backend_->start(asked, rig_->rootfs());
    EXPECT_EQ(await_end(key).exit_code, 7);
    EXPECT_FALSE(find(key, KernelEvent::What::kRunning).has_value());
  }
}

TEST_P(KernelBackendContract, ForgettingKeepsTheLogAndNothingThatRuns) {
  const KernelKey ended = start(Program::kHello), running = start(Program::kLong);
  await_end(ended);
  await_running(running);
  backend_->forget(ended);
  backend_->forget(running);
  await_end(start(Program::kTrue));
  EXPECT_EQ(log(ended), "hello\n");
  const auto found = reopen();
  EXPECT_NE(find_in(found, running), nullptr);
}

TEST_P(KernelBackendContract, TheNextAttemptIsAnotherKernel) {
  KernelSpec first = spec(Program::kExit7);
  KernelSpec second = first;
  second.key.attempt = 2;
  await_end(start(first));
  EXPECT_EQ(await_end(start(second)).exit_code, 7);
}

TEST_P(KernelBackendContract, ALeaseThatIsOverEndsItsKernelsAndNoOthers) {
  KernelSpec leased = spec(Program::kIgnoreTerm);
  leased.lease_until =
      rig_->boottime() + (rig_->real() ? 4 : 1) * kSecond;  // an emulated machine starts in 2 s
  const KernelKey key = start(leased), free = start(Program::kLong);
  await_running(key);
  await_running(free);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kLeaseOver);
  EXPECT_FALSE(find(free, What::kEnded));
}

TEST_P(KernelBackendContract, ALeaseThatIsRenewedGoesOn) {
  KernelSpec leased = spec(Program::kShort);
  leased.lease_until = rig_->boottime() + kSecond / 2;
  const KernelKey key = start(leased);
  backend_->renew_leases(rig_->boottime() + kMinute);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 5);
}

TEST_P(KernelBackendContract, AKernelIsNotStartedPastItsLease) {
  rig_->step(*backend_);
  KernelSpec late = spec(Program::kCount);
  late.lease_until = rig_->boottime() - 1;
  const KernelKey key = start(late);
  EXPECT_EQ(await_end(key).end, KernelEnd::kLeaseOver);
  EXPECT_EQ(count(key, What::kRunning), 0u);
  EXPECT_EQ(log(key), "");
}

TEST_P(KernelBackendContract, ADeadLauncherCostsNoKernelAndNoStart) {
  if (!rig_->real()) GTEST_SKIP() << "nothing to kill";
  const KernelKey key = start(Program::kLong), short_one = start(Program::kShort);
  const KernelEvent before = await_running(key);
  await_running(short_one);
  rig_->kill_launcher();
  EXPECT_EQ(await_end(start(Program::kExit7)).exit_code, 7);
  EXPECT_EQ(await_end(short_one).exit_code, 5);
  const auto found = reopen();
  ASSERT_NE(find_in(found, key), nullptr);
  EXPECT_EQ(find_in(found, key)->pid, before.pid);
}

TEST_P(KernelBackendContract, ADeadShimCostsNoKernelAndNoResult) {
  if (!rig_->real()) GTEST_SKIP() << "nothing to kill";
  const KernelKey key = start(Program::kShort), long_one = start(Program::kLong);
  await_log(key, "begin");
  await_running(long_one);
  rig_->kill_shim(key);
  rig_->kill_shim(long_one);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 5);
  EXPECT_FALSE(find(long_one, What::kEnded));
  backend_->stop(long_one, 15 * kSecond);
  EXPECT_EQ(await_end(long_one).end, KernelEnd::kStopped);
}

TEST_P(KernelBackendContract, AShimKilledWhileTheAgentIsAwayIsReplaced) {
  if (!rig_->real()) GTEST_SKIP() << "nothing to kill";
  const KernelKey key = start(Program::kShort);
  await_log(key, "begin");
  backend_.reset();
  rig_->kill_shim(key);
  reopen();
  EXPECT_EQ(await_end(key).exit_code, 5);
}

TEST_P(KernelBackendContract, ASecondAgentOnTheSameFolderIsRefused) {
  if (!rig_->real()) GTEST_SKIP() << "nothing to share";
  EXPECT_EQ(rig_->open(), nullptr);
}

TEST_P(KernelBackendContract, KernelsStartWhereASecondAgentWasRefused) {
  if (!rig_->real()) GTEST_SKIP() << "nothing to share";
  EXPECT_EQ(rig_->open(), nullptr);
  EXPECT_EQ(await_end(start(Program::kTrue)).end, KernelEnd::kExited);
}

}  // namespace berth::agents::contract
