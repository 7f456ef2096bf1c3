// ADR 0104: what the stop of the machine ends is told as that, and by nothing but who stops it.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agents/kernel/shim/machine_stop.h"
#include "events/base/lease.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {
namespace {

class MachineStop : public KernelBackendContract {
 protected:
  KernelKey run(std::vector<std::string> command) {
    KernelSpec asked = waiting_spec();
    asked.command = std::move(command);
    const KernelKey key = start(asked);
    await_log(key, "ready");
    return key;
  }
  shim::KernelFiles files(const KernelKey& key) const {
    const auto& rig = static_cast<const RealRig&>(*rig_);
    return {{rig.folder(), rig.fast()}, kernel_name(key)};
  }
};

TEST_P(MachineStop, EndsAKernelAsMachineStoppedAndSaysWhy) {
  const KernelKey key = run({"sh", "-c", "echo ready; exec sleep 300"});
  shim::end_for_machine(files(key), 5 * kSecond);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kMachineStopped);
  EXPECT_EQ(end.error.code, "machine-stopped");
}

TEST_P(MachineStop, KillsWhatDoesNotEndWithinTheGrace) {
  const KernelKey key = run({"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"});
  shim::end_for_machine(files(key), kSecond / 2);
  EXPECT_EQ(await_end(key).end, KernelEnd::kMachineStopped);
}

TEST_P(MachineStop, IsNotTheResultOfAProgramThatEndsWell) {
  const KernelKey key =
      run({"sh", "-c", "trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.1; done"});
  shim::end_for_machine(files(key), 20 * kSecond);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_NE(log(key).find("saved"), std::string::npos);
}

TEST_P(MachineStop, IsNotWhyAProgramEndsThatSomebodySignals) {
  const KernelKey itself = run({"sh", "-c", "echo ready; kill -TERM $$; sleep 300"});
  EXPECT_EQ(await_end(itself).end, KernelEnd::kSignalled);
  const KernelKey other = run({"sh", "-c", "echo ready; exec sleep 300"});
  const auto state = shim::decode_state(shim::read_file(files(other).state()).value_or(""));
  ASSERT_TRUE(state.has_value());
  kill(static_cast<pid_t>(state->main.pid), SIGTERM);
  EXPECT_EQ(await_end(other).end, KernelEnd::kSignalled);
}

TEST_P(MachineStop, LeavesTheCauseOfAStopThatWasAskedForBefore) {
  const KernelKey key = run({"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"});
  backend_->stop(key, 2 * kSecond);
  usleep(300'000);  // its SIGTERM has come; the grace is not over
  shim::end_for_machine(files(key), kSecond / 2);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST_P(MachineStop, IsNotMeantByASignalOfAnybodyButTheFirstProcess) {
  const KernelKey key = run({"sh", "-c", "echo ready; exec sleep 300"});
  const auto state = shim::decode_state(shim::read_file(files(key).state()).value_or(""));
  ASSERT_TRUE(state.has_value());
  kill(static_cast<pid_t>(state->shim.pid), SIGTERM);
  usleep(300'000);  // no end is to come in it
  EXPECT_EQ(count(key, KernelEvent::What::kEnded), 0u);
  backend_->stop(key, 0);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST(StopRequest, SaysHowLongAndWhoAsks) {
  const shim::StopRequest asked = shim::decode_stop(shim::encode(shim::StopRequest{7, true}));
  EXPECT_EQ(asked.grace, 7);
  EXPECT_TRUE(asked.machine);
  EXPECT_FALSE(shim::decode_stop(shim::encode(shim::StopRequest{7, false})).machine);
  EXPECT_FALSE(shim::decode_stop("torn").machine) << "one that cannot be read is nobody's cause";
}

// Whether the system goes on, as a systemctl that runs `script` says it. SIGTERM is blocked, as in a shim.
bool goes_on_by(const std::string& script) {
  const std::string folder = testing::TempDir() + "systemctl-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/systemctl") << "#!/bin/sh\n" << script << "\n";
  chmod((folder + "/systemctl").c_str(), 0755);
  const std::string before = std::getenv("PATH");
  setenv("PATH", (folder + ":" + before).c_str(), 1);
  sigset_t term, old;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &old);
  const bool goes_on = shim::system_goes_on();
  sigprocmask(SIG_SETMASK, &old, nullptr);
  setenv("PATH", before.c_str(), 1);
  std::filesystem::remove_all(folder);
  return goes_on;
}

TEST(SystemGoesOn, WhereSystemdSaysThatTheSystemRuns) {
  EXPECT_TRUE(goes_on_by("echo running"));
  EXPECT_TRUE(goes_on_by("echo degraded; exit 1"));
  EXPECT_FALSE(goes_on_by("echo stopping; exit 1"));
  EXPECT_FALSE(goes_on_by("exit 1")) << "it is on its way out";
}

TEST(SystemGoesOn, IsAskedForNoLongerThanALeaseCanWait) {
  const std::int64_t begin = shim::boottime_now();
  EXPECT_FALSE(goes_on_by("exec sleep 30"));
  EXPECT_LT(shim::boottime_now() - begin, kLease) << "whatever signals the shim blocks";
}

TEST(StopRequest, KeepsTheFirstCauseAndTheShorterGraceOfThoseThatCome) {
  const std::string folder = testing::TempDir() + "stop-request";
  const shim::KernelFiles files{{folder, folder}, "k"};
  std::filesystem::create_directories(files.dir());
  const auto file = [&files] { return shim::decode_stop(shim::read_file(files.in("stop")).value_or("")); };
  shim::ask_for_stop(files, {30, true}, "stop.machine");
  shim::ask_for_stop(files, {10, false}, "stop.new");
  EXPECT_TRUE(file().machine) << "a person's stop while the machine stops";
  EXPECT_EQ(file().grace, 10);
  shim::ask_for_stop(files, {20, false}, "stop.new");
  EXPECT_EQ(file().grace, 10);
  std::filesystem::remove(files.in("stop"));
  shim::ask_for_stop(files, {5, false}, "stop.new");
  shim::ask_for_stop(files, {30, true}, "stop.machine");
  EXPECT_FALSE(file().machine) << "a person's stop was first";
  EXPECT_EQ(file().grace, 5);
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Process, MachineStop, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace
}  // namespace berth::agents::contract
