// ProgramLaunch: how a process kernel's program, or its helper, begins: vfork(), the state record, execve().
//
// The child of vfork() runs in the shim's memory while the shim waits, and what it damages stays damaged. So
// the constructor prepares everything that needs memory, and the child calls only async-signal-safe functions
// and bare system calls on what is prepared: it allocates nothing and takes no lock (ADR 0063).
//
// The child writes the record itself, just before the program. If the shim is killed meanwhile, there is
// either no record and no program, or both.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "agents/kernel/shim/records.h"
#include "events/base/files/descriptor.h"

namespace berth::agents::shim {

class ProgramLaunch {
 public:
  enum class Outcome : std::uint8_t {
    kNoProcess,    // vfork() failed
    kNotRecorded,  // the state record cannot be written; nothing ran
    kLeaseOver,    // the lease ended before the program began; nothing ran
    kRecorded,     // the record is there; error() says whether the program could be run
  };

  // The kernel's program. `state`: its record, complete but for the process and the time of its start.
  ProgramLaunch(const ShimSpec& spec, const KernelFiles& files, const StateRecord& state);
  // Its helper, which keeps this descriptor.
  ProgramLaunch(const ShimSpec& spec, const KernelFiles& files, const StateRecord& state, int door,
                std::uint32_t restarts);

  // Once. Returns when the child runs the program or has ended. REQUIRES: one thread; every signal is
  // blocked, so that no handler runs in the memory that both share.
  Outcome launch();

  // After launch(). The child is there, also as a zombie, unless the outcome is kNoProcess.
  pid_t child() const { return child_; }
  // REQUIRES kRecorded. As in the record.
  ProcessId process() const { return {child_, start_}; }
  std::int64_t started_at() const { return started_at_; }
  // errno of the step that failed; 0 for none. With kRecorded: why the program cannot be run.
  int error() const { return error_; }
  const char* program() const { return arguments_[0]; }

 private:
  ProgramLaunch(ShimSpec spec, const KernelFiles& files, const StateRecord& state, bool runs_init,
                const std::string& record);
  [[noreturn]] void be_child();
  bool join_cgroups();
  int run_program();

  ShimSpec spec_;
  std::string home_, lease_, state_, aside_, output_;  // paths
  std::vector<std::string> joins_;                     // cgroup.procs of the kernel's cgroups
  StateDraft record_;
  std::vector<char*> arguments_, environment_;
  Descriptor init_;  // instead of a program: the kernel's user may not reach the folder of our programs
  int door_ = -1;    // -1: the child keeps none
  std::vector<std::string> candidates_;  // files that may be the program, in the order of PATH
  std::vector<char*> shell_arguments_;   // for a script without "#!"; the script's path is the second

  pid_t child_ = -1;
  // Written by the child, read by the shim after it.
  volatile Outcome outcome_ = Outcome::kNoProcess;
  volatile int error_ = 0;
  volatile std::uint64_t start_ = 0;
  volatile std::int64_t started_at_ = 0;
};

}  // namespace berth::agents::shim
