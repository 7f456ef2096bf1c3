// PID 1 of a kernel. It touches no heap: every start of a kernel pays for what it does.
//
// Runs the command and ends with its exit code (128 + signal if it was killed); without one it waits until
// SIGTERM. Passes SIGTERM, SIGINT, SIGHUP, SIGUSR1 and SIGUSR2 on to the command, and reaps what the kernel's
// processes leave behind. A command that cannot be run: 127 (not found) or 126, as in a shell.
//
// The exit file gets "started", then "exited CODE" or "signalled SIGNAL" before it ends, so that the result
// is known even if nobody waited for it. PID 1 alone has it, and nothing in the kernel may trace PID 1.
//
// The door is a listening socket. When somebody knocks and no helper lives, PID 1 starts one, which takes all
// who knock from then on.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>

namespace berth::init {

struct Pid1 {
  int exit_file = -1;          // open for writing; -1: none
  int door = -1;               // -1: none
  const char* folder = "/";    // in which the command, the helper and its programs work
  const char* home = nullptr;  // whose dotfiles outlast the kernel (dotfiles.h); nullptr: nobody's
  char** command = nullptr;    // nullptr: none

  // Returns the exit code.
  int run();

 private:
  void enter_folder() const;
  void prepare_automatic_folder() const;
  void note(const char* what, int number) const;
  void await();
  bool take_signal();
  void reap();
  void rest();
  void start_helper();

  sigset_t signals_{};
  int signal_file_ = -1;
  pid_t child_ = 0;   // of the command
  pid_t helper_ = 0;  // 0: none
  std::uint32_t restarts_ = 0;
  std::int64_t started_at_ = 0;       // wall clock, ns, as the file system stamps its changes
  std::int64_t no_helper_until_ = 0;  // CLOCK_BOOTTIME, ns: after one that ended, or could not be started
  int code_ = -1;                     // the exit code, once it is known
};

}  // namespace berth::init
