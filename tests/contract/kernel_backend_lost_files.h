// The files of running kernels are removed from the fast folder: no kernel ends by that, and no slot is told
// to be free while its kernel runs (P24).
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {

class LostFiles : public KernelBackendContract {
 protected:
  RealRig& real() { return static_cast<RealRig&>(*rig_); }
  shim::KernelFiles files_of(const KernelKey& key) {
    return {{real().folder(), real().fast()}, kernel_name(key)};
  }
  // Says "ready", waits for SIGTERM, exits 5.
  KernelKey start_trap() {
    KernelSpec asked = waiting_spec();
    asked.command = {"sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"};
    const KernelKey key = start(asked);
    await_running(key);
    await_log(key, "ready");
    return key;
  }
  // Of a recovered end no event comes.
  void forget_all() {
    for (const KernelKey& key : started_) backend_->forget(key);
    started_.clear();
  }
  // Though a shim may be making them again.
  static void lose(const std::string& folder) {
    std::error_code error;
    for (int i = 0; i < 1'000; ++i) {
      std::filesystem::remove_all(folder, error);
      if (!error) return;
    }
    FAIL() << folder << ": " << error.message();
  }
  void lose_files_and_shim(const KernelKey& key) {
    const auto state = shim::decode_state(shim::read_file(files_of(key).state()).value_or(""));
    ASSERT_TRUE(state.has_value());
    lose(real().fast());
    ASSERT_EQ(kill(static_cast<pid_t>(state->shim.pid), SIGKILL), 0);
  }
  static bool is_running(std::int64_t pid) { return kill(static_cast<pid_t>(pid), 0) == 0; }
  void await_made_again(const std::string& path) {
    for (int i = 0; i < 10'000 && access(path.c_str(), F_OK) != 0; ++i) rig_->step(*backend_);
    ASSERT_EQ(access(path.c_str(), F_OK), 0) << path;
  }
  // SIGTERM from outside, as its own program or an operator may send it.
  void expect_that_its_end_is_known(const KernelKey& key, std::int64_t pid) {
    ASSERT_EQ(kill(static_cast<pid_t>(pid), SIGTERM), 0);
    const KernelEvent end = await_end(key);
    EXPECT_EQ(end.end, KernelEnd::kExited) << to_string(end.error);
    EXPECT_EQ(end.exit_code, 5);
  }
};

TEST_P(LostFiles, P24_ANextAgentFindsTheKernelThatRuns) {
  const KernelKey key = start_trap();
  const std::int64_t pid = await_running(key).pid;
  backend_.reset();
  lose(real().fast());
  const auto found = reopen();
  const RecoveredKernel* const kernel = find_in(found, key);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->what, KernelEvent::What::kRunning) << to_string(kernel->error);
  EXPECT_EQ(kernel->pid, pid);
  ASSERT_TRUE(kernel->holding.has_value());
  EXPECT_EQ(kernel->holding->cpu, kUnit / 2);
  expect_that_its_end_is_known(key, pid);
}

TEST_P(LostFiles, P24_TheAgentThatRunsStartsAndStopsKernelsAsBefore) {
  const KernelKey key = start_trap();
  lose(real().fast());
  backend_->stop(key, kMinute);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
  lose(real().fast());
  EXPECT_EQ(await_end(start(Program::kExit7)).exit_code, 7);
}

TEST_P(LostFiles, P24_TheKernelsOwnFolderIsMadeAgainAndItsStopIsKept) {
  const KernelKey key = start_trap();
  lose(files_of(key).dir());
  backend_->stop(key, kMinute);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST_P(LostFiles, P24_TheFolderOfRecordsIsMadeAgain) {
  const KernelKey key = start_trap();
  const std::int64_t pid = await_running(key).pid;
  lose(real().fast() + "/run");
  await_made_again(files_of(key).state());
  expect_that_its_end_is_known(key, pid);
}

TEST_P(LostFiles, P23_AShimAfterTheOneThatMadeThemGoesOn) {
  const KernelKey key = start_trap();
  lose(real().fast());
  await_made_again(files_of(key).in("spec"));
  rig_->kill_shim(key);
  backend_->stop(key, kMinute);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST_P(LostFiles, P24_WhatHasNeitherFilesNorAShimIsEnded) {
  const KernelKey key = start_trap();
  const std::int64_t pid = await_running(key).pid;
  lose_files_and_shim(key);
  const auto found = reopen();
  const RecoveredKernel* const kernel = find_in(found, key);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->what, KernelEvent::What::kEnded);
  EXPECT_EQ(kernel->end, KernelEnd::kResultUnknown);
  EXPECT_EQ(kernel->error.code, "kernel-files-lost");
  EXPECT_FALSE(is_running(pid));
  forget_all();
}

TEST_P(LostFiles, P24_AlsoUnderTheAgentThatRuns) {
  const KernelKey key = start_trap();
  const std::int64_t pid = await_running(key).pid;
  lose_files_and_shim(key);
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kResultUnknown);
  EXPECT_EQ(end.error.code, "kernel-files-lost");
  EXPECT_FALSE(is_running(pid));
}

TEST_P(LostFiles, P23_AfterAnotherBootTheMachineIsTheCause) {
  const KernelKey key = start_trap();
  const auto state = shim::decode_state(shim::read_file(files_of(key).state()).value_or(""));
  ASSERT_TRUE(state.has_value());
  const std::int64_t pid = await_running(key).pid;
  backend_.reset();
  lose(real().fast());  // as a tmpfs is after a boot
  kill(static_cast<pid_t>(state->shim.pid), SIGKILL);
  kill(static_cast<pid_t>(pid), SIGKILL);
  std::ofstream(real().folder() + "/lease.boot", std::ios::trunc) << "another boot";
  const auto found = reopen();
  const RecoveredKernel* const kernel = find_in(found, key);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->end, KernelEnd::kMachineStopped);
  EXPECT_EQ(kernel->error.code, "machine-restarted");
  forget_all();
}

TEST_P(LostFiles, NobodyMakesThemAgainWhereTheDataFolderIsGoneToo) {
  const KernelKey key = start_trap();
  const std::int64_t pid = await_running(key).pid;
  backend_.reset();
  lose(real().folder());
  lose(real().fast());
  ASSERT_EQ(kill(static_cast<pid_t>(pid), SIGTERM), 0);
  for (int i = 0; i < 5000 && is_running(pid); ++i) usleep(2000);
  EXPECT_FALSE(is_running(pid));
  EXPECT_FALSE(std::filesystem::exists(real().fast()));
  started_.clear();
}

}  // namespace berth::agents::contract
