// The shim: one small process per kernel. It outlives agent and launcher, copies the kernel's output, watches
// the lease, stops the kernel on request and records its end. A shim is a fork of the launcher without exec,
// so it costs little.
//
//        lock taken, no state, no exit
//                   |  start()                        adopt(): a state is there, and its shim is dead
//                   v                                        |
//        state written (creating) -> runtime / gate          |
//                   v                                        v
//        state written (running)  ------------------->   follow() ... until the kernel's process is gone
//                                                            v
//                             rest killed, output drained, cgroups removed, exit written, folders removed
//
// The kernel runs nothing before the state record is on disk, and no second shim gets past the lock or the
// records: so a (kernel, attempt) never runs twice. Single-threaded; standard library only.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "agents/kernel/shim/log_writer.h"
#include "agents/kernel/shim/oci_run.h"
#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

inline constexpr int kHelperRestMs =
    100;  // until the next helper, after one that ended or could not be started

class Shim {
 public:
  // `output_fd`: the kernel's output pipe, opened for reading and writing, non-blocking. `disk`: the mount of
  // the kernel's file system, none if the shim has to make it or the kernel has no file system of its own.
  // `door`: none if another launcher made it.
  Shim(KernelFiles files, int output_fd, Descriptor door, Descriptor disk);

  // Both return the exit code of the shim's process: 0 when the kernel has ended, or kExitShimBusy.
  int start();
  int adopt();

 private:
  bool take_kernel();
  bool set_signals();
  int run_new();
  void launch_process();
  bool mount_root();
  void launch_runtime();
  [[noreturn]] void be_runtime(int gate);
  bool record_and_open_gate(int gate_write, pid_t child);

  int follow();
  void reap();
  void child_ended(pid_t pid, int status);
  void runtime_ended(int status);
  void await_runtime_of_dead_shim();
  void main_gone_unseen();
  void copy_output();

  bool needs_helper() const;
  void find_helper();
  void replace_lost_door();
  void start_helper();
  void helper_ended();

  void look_for_stop();
  void look_at_signals();
  void machine_ends_it();
  void unit_ends_it();
  void begin_stop(std::int64_t grace);
  void go_on_stopping();
  void kill_main(int signal);
  void check_lease();
  bool lease_over();
  void time_is_up();

  void ended_with(int wait_status);
  void await_machine(int wait_status);
  void fail_start(std::string code, std::string message);
  void finish(ExitRecord record);
  void note_end(const ExitRecord& record);
  void kill_the_rest();
  bool rest_is_gone();
  void tell_what_stays();
  bool write_state();

  // Makes the kernel's files again that somebody removed while it ran (records.h). False: they are not there,
  // and nobody waits for them, or they cannot be made.
  bool keep_files();
  bool make_dir();
  bool fill(const std::string& dir);
  void make_door_again();
  void open_init();
  std::string init_file() const;

  KernelFiles files_;
  ShimSpec spec_;
  StateRecord state_;
  LogWriter log_;
  int output_ = -1;
  Descriptor door_, disk_;
  Descriptor init_;  // of a container: what its init writes, also where the name of that file is gone
  int lock_ = -1;
  int signals_ = -1;
  int lease_timer_ = -1;
  int timer_ = -1;       // grace of a stop, or the runtime's time limit
  int main_pidfd_ = -1;  // adopted kernels: not our child
  bool stopping_ = false;
  bool machine_stops_ = false;  // it was asked to end because the machine stops
  bool unit_stops_ = false;     // somebody stops the unit of systemd that holds it
  bool killed_ = false;         // this shim sent SIGKILL
  bool lease_over_ = false;
  bool adopted_ = false;  // from a shim that died
  bool mounted_ = false;  // the overlay, in this process's own mount namespace
  bool done_ = false;
  bool term_sent_ = false;
  Descriptor helper_;                 // pidfd of a process kernel's helper; none: none lives
  std::uint32_t restarts_ = 0;        // helpers that died
  std::int64_t no_helper_until_ = 0;  // CLOCK_BOOTTIME: after one that ended, or could not be started
  std::int64_t look_at_ = 0;          // CLOCK_BOOTTIME: whether the files are there
  std::int64_t stop_grace_ = 0;
  std::int64_t kill_at_ = 0;    // CLOCK_BOOTTIME, while stopping
  int wait_status_ = -1;        // of the kernel's process, once it is known
  std::map<pid_t, int> early_;  // children that ended before the runtime named the kernel's process
};

}  // namespace berth::agents::shim
