#include "agents/kernel/fast_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/shim/system.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

class FastFolders : public testing::Test {
 protected:
  // As fast_folder_for() makes it.
  std::string make(const std::string& name, const std::string& data, bool with_kernel = false) {
    const std::string folder = place.path + "/" + name;
    fs::create_directories(folder + "/kernels");
    fs::permissions(folder, fs::perms::owner_all);
    if (!data.empty()) std::ofstream(folder + "/data-folder") << data;
    if (with_kernel) fs::create_directories(folder + "/kernels/k");
    return folder;
  }
  TempFolder place;
};

TEST_F(FastFolders, F15_OneWhoseDataFolderIsGoneIsRemoved) {
  const std::string gone = make("berth-1", "/no/such/folder", true), used = make("berth-2", place.path);
  sweep_fast_folders(place.path);
  EXPECT_FALSE(fs::exists(gone));
  EXPECT_TRUE(fs::exists(used));
}

TEST_F(FastFolders, F15_OneThatNamesNoDataFolderOrIsNotBerthsStays) {
  const std::string unnamed = make("berth-1", ""), other = make("berth2", "/no/such/folder");
  const std::string open = make("berth-3", "/no/such/folder");
  fs::permissions(open, fs::perms::all);
  sweep_fast_folders(place.path);
  for (const std::string& folder : {unnamed, other, open}) EXPECT_TRUE(fs::exists(folder)) << folder;
}

TEST_F(FastFolders, F15_OneWithALiveKernelStays) {
  const std::string live = make("berth-1", "/no/such/folder", true);
  const int lock = shim::take_lock(live + "/kernels/k/lock");
  ASSERT_GE(lock, 0);
  sweep_fast_folders(place.path);
  EXPECT_TRUE(fs::exists(live));
  close(lock);
  sweep_fast_folders(place.path);
  EXPECT_FALSE(fs::exists(live));
}

TEST_F(FastFolders, F15_WhatRunsInTheCgroupsOfOneThatGoesIsEnded) {
  const auto cgroups = read_cgroup_layout();
  if (geteuid() != 0 || !cgroups) GTEST_SKIP() << "only root has cgroups";
  const std::string data = "/no/such/folder-" + std::to_string(getpid());
  const std::string mine = cgroups->folders(agent_cgroup(*cgroups, data)).back();
  std::error_code error;
  if (!fs::create_directories(mine + "/kernel", error)) GTEST_SKIP() << mine << " cannot be made here";
  const auto before = signal(SIGCHLD, SIG_IGN);  // a process that nobody waits for stays in its cgroup
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  std::ofstream(mine + "/kernel/cgroup.procs") << child;
  const std::string gone = make("berth-1", data, true);
  sweep_fast_folders(place.path);
  EXPECT_FALSE(fs::exists(gone));
  EXPECT_FALSE(fs::exists(mine));
  EXPECT_EQ(kill(child, 0), -1);
  signal(SIGCHLD, before);
}

TEST_F(FastFolders, NamesItsDataFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has one in memory";
  const std::string fast = fast_folder_for(place.path).value();
  EXPECT_EQ(shim::read_file(fast + "/data-folder"), place.path);
  fs::remove_all(fast);
}

TEST_F(FastFolders, F15_OneThatAnAgentHoldsStaysUntilTheAgentIsGone) {
  const std::string folder = place.path + "/berth-1", data = "/no/such/folder";
  auto first = std::make_unique<Result<Descriptor>>(hold_fast_folder(folder, data));
  auto second = std::make_unique<Result<Descriptor>>(hold_fast_folder(folder, data));
  ASSERT_TRUE(first->ok() && second->ok());
  first.reset();
  sweep_fast_folders(place.path);
  EXPECT_EQ(shim::read_file(folder + "/data-folder"), data);
  second.reset();
  sweep_fast_folders(place.path);
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(FastFolders, F15_OneWhoseAgentWasKilledIsRemoved) {
  const std::string folder = place.path + "/berth-1";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto held = hold_fast_folder(folder, "/no/such/folder");
    if (write(ready[1], held.ok() ? "y" : "n", 1) == 1) pause();
    _exit(0);
  }
  char held = 0;
  ASSERT_EQ(read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  sweep_fast_folders(place.path);
  EXPECT_TRUE(fs::exists(folder));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  sweep_fast_folders(place.path);
  EXPECT_FALSE(fs::exists(folder));
  close(ready[0]);
  close(ready[1]);
}

// What is held is never a folder that was removed in the meantime.
TEST_F(FastFolders, F15_OneThatIsHeldIsThereWhileOthersSweep) {
  const std::string folder = place.path + "/berth-1", data = "/no/such/folder";
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) sweep_fast_folders(place.path);
  });
  for (int i = 0; i < 500; ++i) {
    const auto held = hold_fast_folder(folder, data);
    EXPECT_TRUE(held.ok()) << i << ": " << (held.ok() ? "" : to_string(held.error()));
    if (!held.ok()) break;
    fs::create_directories(folder + "/kernels");
    EXPECT_EQ(shim::read_file(folder + "/data-folder"), data) << i;
    EXPECT_TRUE(fs::exists(folder + "/kernels")) << i;
  }
  done = true;
  other.join();
}

// An agent makes the folder before its data folder, which an earlier agent's folder in memory names already.
TEST_F(FastFolders, F15_OneIsMadeWhileOthersSweep) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has one in memory";
  const std::string data = place.path + "/gone", fast = fast_folder_for(data).value();
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) sweep_fast_folders(fs::path(fast).parent_path());
  });
  for (int i = 0; i < 2000; ++i) {
    const auto made = fast_folder_for(data);
    EXPECT_TRUE(made.ok()) << i << ": " << (made.ok() ? "" : to_string(made.error()));
    if (!made.ok()) break;
  }
  done = true;
  other.join();
  fs::remove_all(fast);
}

TEST_F(FastFolders, F15_OneIsMadeByTwoAgentsAtOnce) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has one in memory";
  for (int i = 0; i < 300; ++i) {
    const std::string data = place.path + "/" + std::to_string(i);
    const auto make = [&](std::string& problem) {
      if (auto made = fast_folder_for(data); !made.ok()) problem = to_string(made.error());
    };
    std::string first, second;
    std::thread other(make, std::ref(second));
    make(first);
    other.join();
    fs::remove_all(fast_folder_for(data).value());
    ASSERT_EQ(first + second, "") << i;
  }
}

}  // namespace
}  // namespace berth::agents
