// The helper of a kernel as a plain process with a door of its own.
#pragma once

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "agents/kernel/shim/door.h"
#include "agents/kernel/shim/system.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::inside {

class HelperProcess {
 public:
  HelperProcess() {
    const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
    std::string program = build / "bin/berth-init", fd = "5", restarts = "0", helper = "--helper";
    const Descriptor listening = agents::shim::make_door(door);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, listening.get(), 5);
    char* const argv[] = {program.data(), helper.data(), fd.data(), restarts.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~HelperProcess() {
    int status = 0;
    if (pid_ < 0) return;
    EXPECT_EQ(waitpid(pid_, &status, WNOHANG), 0) << "the helper has ended by itself, status " << status;
    end();
  }
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  // As at the end of a kernel.
  void end() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }
  // Bytes of memory that the helper has of its own.
  std::int64_t memory() const {
    const auto text = agents::shim::read_file("/proc/" + std::to_string(pid_) + "/status").value_or("");
    return std::strtoll(text.c_str() + text.find("RssAnon:") + 8, nullptr, 10) * 1024;
  }

  const agents::TempFolder folder;
  const std::string door = folder.path + "/door";

 private:
  pid_t pid_ = -1;
};

}  // namespace berth::inside
