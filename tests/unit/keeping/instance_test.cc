// The lock of a data folder: one `berth up` at a time, and none that only seems to run.
#include "ops/cli/instance.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>

#include "tests/support/temp_dir.h"

namespace berth::testing {
namespace {

// The id of a process that has ended.
pid_t ended_process() {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  return pid;
}

std::size_t descriptors_of(const std::string& path) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    count += std::filesystem::read_symlink(entry.path(), gone) == path ? 1 : 0;
  }
  return count;
}

// A process that has all our descriptors, as one between fork and exec has, until it reads the pipe's end.
class Heir {
 public:
  Heir() {
    EXPECT_EQ(pipe(ends_), 0);
    pid_ = fork();
    if (pid_ != 0) return;
    close(ends_[1]);
    char byte = 0;
    while (read(ends_[0], &byte, 1) > 0) {}
    _exit(0);
  }
  ~Heir() { end(); }
  void end() {
    if (pid_ < 0) return;
    close(ends_[1]);
    waitpid(pid_, nullptr, 0);
    close(ends_[0]);
    pid_ = -1;
  }

 private:
  int ends_[2] = {-1, -1};
  pid_t pid_ = -1;
};

class DataFolderLock : public ::testing::Test {
 protected:
  // A lock that a process wrote with this id, and that an heir of it holds; it itself is gone.
  std::unique_ptr<Heir> left_by(int pid) {
    Instance instance;
    Running none;
    EXPECT_TRUE(*instance.take(data_, none));
    EXPECT_TRUE(instance.write({pid, "", {}}));
    return std::make_unique<Heir>();
  }
  TempDir dir_;
  const std::string data_ = dir_.path().string() + "/data";
};

TEST_F(DataFolderLock, ASecondOneIsToldOfTheFirst) {
  Instance first, second;
  Running running;
  ASSERT_TRUE(*first.take(data_, running));
  ASSERT_TRUE(first.write({getpid(), "http://here", {}}));
  const auto taken = second.take(data_, running);
  ASSERT_TRUE(taken.ok());
  EXPECT_FALSE(*taken);
  EXPECT_EQ(running.pid, getpid());
  EXPECT_EQ(running.endpoint, "http://here");
}

TEST_F(DataFolderLock, WhatAKilledProcessHadJustForkedIsNoBerthThatRuns) {
  auto heir = left_by(ended_process());
  std::atomic<bool> is_taken = false;
  std::thread next([&] {
    Instance instance;
    Running running;
    const auto taken = instance.take(data_, running);
    is_taken = taken.ok() && *taken;
  });
  while (descriptors_of(data_ + "/berth.lock") == 0) std::this_thread::yield();  // it looks just now
  heir->end();
  next.join();
  EXPECT_TRUE(is_taken);
}

}  // namespace
}  // namespace berth::testing
