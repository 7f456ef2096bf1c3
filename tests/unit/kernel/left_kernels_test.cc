#include "agents/kernel/host/left_kernels.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "agents/kernel/backends.h"
#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/fast_folder.h"
#include "agents/kernel/kernel_name.h"
#include "agents/kernel/shim/system.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

class LeftKernelsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "another user's records of kernels lie in the data folder";
    fast_ = fast_folder_for(data_.path).value();
    files_ = {{data_.path, fast_}, kernel_name({KernelId(Uuid::from_hash({7})), 1})};
    fs::create_directories(files_.dir());
    fs::create_directories(fast_ + "/run");
    child_ = fork();
    if (child_ == 0) {
      pause();
      _exit(0);
    }
  }
  void TearDown() override {
    end_child();
    if (!fast_.empty()) fs::remove_all(fast_);
  }
  void end_child() {
    if (child_ > 0 && kill(child_, SIGKILL) == 0) waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  void record(const std::string& boot) const {
    const shim::StateRecord state{.running = true,
                                  .main = *shim::identify(child_),
                                  .runtime = {},
                                  .shim = {},
                                  .started_at = 1,
                                  .boot = boot};
    std::ofstream(files_.state(), std::ios::binary) << encode(state);
  }
  std::string code() const {
    const auto checked = check_left_kernels(data_.path);
    return checked ? "" : checked.error().code.word();
  }

  TempFolder data_;
  std::string fast_;
  shim::KernelFiles files_;
  pid_t child_ = -1;
};

TEST_F(LeftKernelsTest, AnEmptyFolderWhoseKernelRunsIsRefusedWithHowToEndIt) {
  record(shim::boot_id());
  const auto checked = check_left_kernels(data_.path);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, "kernels-still-run");
  EXPECT_NE(checked.error().message.find(data_.path), std::string::npos) << checked.error().message;
  EXPECT_NE(checked.error().message.find(files_.key), std::string::npos) << checked.error().message;
  EXPECT_TRUE(checked.error().hint.ends_with("kill " + std::to_string(child_))) << checked.error().hint;
  end_child();
  EXPECT_EQ(code(), "");
}

TEST_F(LeftKernelsTest, AFolderThatHasTheLedgerIsTakenAndSoIsOneOfAnotherPath) {
  record(shim::boot_id());
  EXPECT_TRUE(check_left_kernels(data_.path + "/other"));
  std::ofstream(data_.path + "/claims") << "";
  EXPECT_EQ(code(), "");
}

TEST_F(LeftKernelsTest, ARecordOfAnEarlierBootIsOfNoProcess) {
  record("another boot");
  EXPECT_EQ(code(), "");
}

TEST_F(LeftKernelsTest, AKernelWithoutARecordRunsAsLongAsItsShim) {
  const int lock = shim::take_lock(files_.in("lock"));
  ASSERT_GE(lock, 0);
  EXPECT_EQ(code(), "kernels-still-run");
  close(lock);
  EXPECT_EQ(code(), "");
}

TEST_F(LeftKernelsTest, WhatRunsInAKernelsCgroupIsSeenWithoutItsRecords) {
  const auto cgroups = read_cgroup_layout();
  if (!cgroups) GTEST_SKIP() << "no cgroups";
  const std::string agent = cgroups->folders(agent_cgroup(*cgroups, data_.path)).back();
  const std::string kernel = agent + "/" + files_.key + "/kernel";
  std::error_code error;
  if (!fs::create_directories(kernel, error)) GTEST_SKIP() << kernel << " cannot be made here";
  fs::remove_all(fast_);
  std::ofstream(kernel + "/cgroup.procs") << child_;
  const LeftKernels left = find_left_kernels(data_.path);
  EXPECT_EQ(left.names, std::set<std::string>{files_.key});
  EXPECT_EQ(left.processes, std::set<std::int64_t>{child_});
  end_child();
  EXPECT_EQ(code(), "");
  for (const std::string& folder : {kernel, agent + "/" + files_.key, agent}) rmdir(folder.c_str());
}

TEST_F(LeftKernelsTest, LookingMakesNothing) {
  fs::remove_all(fast_);
  EXPECT_EQ(code(), "");
  EXPECT_FALSE(fs::exists(fast_));
}

}  // namespace
}  // namespace berth::agents
