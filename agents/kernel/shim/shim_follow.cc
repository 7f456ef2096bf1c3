// The shim's life beside a running kernel, and the end of both. See shim.h.
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "agents/kernel/shim/door.h"
#include "agents/kernel/shim/machine_stop.h"
#include "agents/kernel/shim/own_cgroup.h"
#include "agents/kernel/shim/remove_tree.h"
#include "agents/kernel/shim/shim.h"
#include "agents/kernel/shim/system.h"
#include "events/base/clock.h"

namespace berth::agents::shim {
namespace {

void arm(int timer, std::int64_t boottime) {
  itimerspec at{};
  at.it_value.tv_sec = boottime / 1'000'000'000;
  at.it_value.tv_nsec = boottime % 1'000'000'000;
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, nullptr);
}

bool expired(int timer) {
  std::uint64_t times = 0;
  return read(timer, &times, sizeof times) == sizeof times;
}

// What this process has inherited as a subreaper: the kernel's processes that left its session.
bool kill_children() {
  const auto text = read_file("/proc/thread-self/children", 65536);
  if (!text || text->empty()) return false;
  const char* at = text->c_str();
  char* end = nullptr;
  for (long pid = std::strtol(at, &end, 10); end != at; pid = std::strtol(at, &end, 10)) {
    kill(static_cast<pid_t>(pid), SIGKILL);
    at = end;
  }
  return true;
}

constexpr std::int64_t kPatience = 2'000'000'000;    // ns, for what was killed to be gone (P25)
constexpr std::int64_t kTellAgain = 30'000'000'000;  // ns: another agent may have come

}  // namespace

int Shim::follow() {
  while (!done_) {
    const std::int64_t now = boottime_now();
    if (now >= look_at_) {
      keep_files();
      look_at_ = now + kKeepFilesMs * kMillisecond;
    }
    const bool rests = now < no_helper_until_;
    pollfd fds[] = {{signals_, POLLIN, 0},     {output_, POLLIN, 0},
                    {lease_timer_, POLLIN, 0}, {timer_, POLLIN, 0},
                    {main_pidfd_, POLLIN, 0},  {needs_helper() && !rests ? door_.get() : -1, POLLIN, 0},
                    {helper_.get(), POLLIN, 0}};
    if (poll(fds, 7, rests ? kHelperRestMs : kKeepFilesMs) < 0 && errno != EINTR) return 1;
    if (fds[1].revents != 0) copy_output();
    if (fds[0].revents != 0) {
      look_at_signals();
      reap();
    }
    if (!done_ && fds[2].revents != 0 && expired(lease_timer_)) check_lease();
    if (!done_ && fds[3].revents != 0 && expired(timer_)) time_is_up();
    if (!done_ && fds[4].revents != 0) main_gone_unseen();
    if (!done_ && fds[6].revents != 0) helper_ended();
    if (!done_ && fds[5].revents != 0) start_helper();
  }
  return 0;
}

void Shim::look_at_signals() {
  signalfd_siginfo info[8];
  const ssize_t got = read(signals_, info, sizeof info);
  for (ssize_t i = 0; i < got / static_cast<ssize_t>(sizeof info[0]); ++i) {
    if (info[i].ssi_signo == SIGUSR1) {
      keep_files();
      look_for_stop();
    }
    if (info[i].ssi_signo == SIGTERM && info[i].ssi_pid == 1) machine_ends_it();
  }
}

// Process 1 ends what is left of the machine's processes, and its signal has come to the kernel's as well:
// the net below machine_stop.h. So does its signal where somebody stops our slice or scope.
void Shim::machine_ends_it() {
  if (machine_stops_ || unit_stops_) return;
  if (system_goes_on()) return unit_ends_it();
  ask_for_stop(files_, {kMachineStopGraceSeconds * kSecond, true}, "stop.machine");
  look_for_stop();
}

// The kernel ends by that signal, and the machine is not the cause. What ignores it is killed before systemd
// kills this shim with it.
void Shim::unit_ends_it() {
  log_.append("berth: systemd stops the unit in which this kernel runs\n");
  unit_stops_ = true;
  if (stopping_) return;
  stopping_ = true;
  stop_grace_ = kMachineStopGraceSeconds * kSecond;
  if (state_.running) begin_stop(stop_grace_);
}

void Shim::copy_output() {
  char buffer[65536];
  for (int i = 0; i < 16; ++i) {  // at most 1 MiB a turn: a flood must not keep us from the lease
    const ssize_t got = read(output_, buffer, sizeof buffer);
    if (got <= 0) return;
    log_.append({buffer, static_cast<std::size_t>(got)});
  }
}

void Shim::reap() {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    // Before the pid is free again, end what is left of its session.
    if (!spec_.oci && info.si_pid == state_.main.pid) kill(-info.si_pid, SIGKILL);
    int status = 0;
    if (waitpid(info.si_pid, &status, 0) == info.si_pid) child_ended(info.si_pid, status);
    if (done_) return;
  }
}

void Shim::child_ended(pid_t pid, int status) {
  if (state_.running && pid == state_.main.pid) return ended_with(status);
  if (!state_.running && pid == state_.runtime.pid) return runtime_ended(status);
  if (!state_.running) early_[pid] = status;
}

void Shim::runtime_ended(int status) {
  const std::int64_t pid = runtime_pid(files_);
  if (status != 0 || pid <= 0) {
    if (lease_over_)
      return finish({.end = "lease-over", .code = 128 + SIGKILL, .error_code = {}, .error = {}});
    copy_output();
    return fail_start(
        killed_ ? "runtime-timeout" : "runtime-failed",
        killed_ ? spec_.runtime + " took longer than 60 s" : runtime_error(files_, spec_.runtime, status));
  }
  itimerspec off{};
  timerfd_settime(timer_, 0, &off, nullptr);
  state_.running = true;
  state_.main = identify(pid).value_or(ProcessId{pid, 0});
  write_state();
  enter_own_cgroup(spec_);
  if (const auto found = early_.find(static_cast<pid_t>(pid)); found != early_.end())
    return ended_with(found->second);
  early_.clear();
  if (lease_over_)
    kill_main(SIGKILL);
  else if (stopping_)
    begin_stop(stop_grace_);
}

void Shim::look_for_stop() {
  const auto bytes = read_file(files_.in("stop"), 4096);
  if (!bytes) return;
  const StopRequest asked = decode_stop(*bytes);
  if (!stopping_) machine_stops_ = asked.machine;       // the first cause is the cause
  if (stopping_ && asked.grace >= stop_grace_) return;  // asked again: only less patience changes anything
  stopping_ = true;
  stop_grace_ = asked.grace;
  if (state_.running) begin_stop(stop_grace_);
}

void Shim::begin_stop(std::int64_t grace) {
  if (grace <= 0) return kill_main(SIGKILL);
  kill_at_ = boottime_now() + grace;
  go_on_stopping();
}

// A container's PID 1 that has not set up its signals yet would lose a SIGTERM: the init says when it has.
void Shim::go_on_stopping() {
  const std::int64_t now = boottime_now();
  if (now >= kill_at_) return kill_main(SIGKILL);
  const bool deaf = spec_.oci && !term_sent_ && !read_init_record(init_file()).started;
  if (!deaf && !term_sent_) kill_main(SIGTERM);
  term_sent_ = !deaf;
  arm(timer_, deaf ? std::min(now + 5'000'000, kill_at_) : kill_at_);
}

void Shim::kill_main(int signal) {
  if (signal == SIGKILL) {
    killed_ = true;
    arm(timer_, boottime_now() + kPatience);
  }
  if (main_pidfd_ >= 0) signal_pidfd(main_pidfd_, signal);
  const pid_t main = static_cast<pid_t>(state_.main.pid);
  if (main <= 1 || (main_pidfd_ >= 0 && !same_process(state_.main))) return;
  // A process kernel's whole session gets it, as a terminal would send it; a container's init passes it on.
  // In its first moment it has no session of its own yet.
  if (spec_.oci || kill(-main, signal) != 0) kill(main, signal);
}

bool Shim::lease_over() {
  const std::int64_t until = lease_deadline(spec_, files_.folders.lease());
  if (until == kNoLease) return false;
  if (until <= boottime_now()) return true;
  arm(lease_timer_, until);
  return false;
}

void Shim::check_lease() {
  if (lease_over_ || !lease_over()) return;
  lease_over_ = true;
  if (state_.running) return kill_main(SIGKILL);
  if (state_.runtime.pid != 0) {
    kill(static_cast<pid_t>(state_.runtime.pid), SIGKILL);  // what it made so far is removed with its cgroup
    return;
  }
  finish({.end = "lease-over", .code = 128 + SIGKILL, .error_code = {}, .error = {}});
}

void Shim::time_is_up() {
  if (state_.running && killed_) {
    tell_what_stays();
    return arm(timer_, boottime_now() + kTellAgain);
  }
  if (state_.running) return go_on_stopping();
  killed_ = true;
  kill(static_cast<pid_t>(state_.runtime.pid), SIGKILL);
}

// An adopted kernel's process is gone, and its exit status went to whoever was its parent. A container's init
// wrote it down; for a process the launcher does, if it was the parent.
void Shim::main_gone_unseen() {
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (const InitRecord init = read_init_record(init_file()); init.wait_status)
      return ended_with(*init.wait_status);
    if (const auto text = read_file(files_.in("orphan"), 64)) return ended_with(std::atoi(text->c_str()));
    if (killed_) return ended_with(SIGKILL);
    if (spec_.oci && attempt > 4) break;
    usleep(5000);
  }
  finish({.end = "unknown",
          .started_at = state_.started_at,
          .error_code = "result-unknown",
          .error = "the kernel ended while nobody was there to see how"});
}

void Shim::ended_with(int wait_status) {
  await_machine(wait_status);
  ExitRecord record;
  record.started_at = state_.started_at;
  int status = wait_status_ = wait_status;
  // The init's exit code cannot tell "exited 137" from "killed by 9"; its record can.
  if (const InitRecord init = read_init_record(init_file());
      spec_.oci && WIFEXITED(status) && init.wait_status)
    status = *init.wait_status;
  record.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  const bool by_kill = record.code == 128 + SIGKILL;
  if (lease_over_)
    record.end = "lease-over";
  else if (machine_stops_ && (record.code != 0 || !WIFEXITED(status)))
    be_stopped_by_machine(record);  // one that ends with 0 in time has told its own result
  else if (stopping_ && !machine_stops_ && !unit_stops_)
    record.end = "stopped";
  else if (const MemoryKill kill = spec_.oci && by_kill ? memory_kill(spec_) : MemoryKill::kNone;
           kill != MemoryKill::kNone) {
    record.end = "out-of-memory";
    if (kill == MemoryKill::kAbove) {
      record.error_code = "machine-out-of-memory";
      record.error =
          "the machine, or Berth's part of it, had no memory left; the kernel had not reached its own limit";
    }
  } else
    record.end = WIFSIGNALED(status) ? "signalled" : "exited";
  finish(record);
}

// Process 1 signals the kernel's processes and this one in no order. So an end by SIGTERM that nobody has
// asked for waits a moment for its cause; without one it is what it was.
void Shim::await_machine(int wait_status) {
  const bool by_term = (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGTERM) ||
                       (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 128 + SIGTERM);
  if (!by_term || stopping_ || lease_over_) return;
  constexpr std::int64_t kWait = 200'000'000;
  const std::int64_t until = boottime_now() + kWait;
  for (std::int64_t now = boottime_now(); !machine_stops_ && now < until; now = boottime_now()) {
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    const timespec rest{0, static_cast<long>(until - now)};
    siginfo_t info{};
    if (sigtimedwait(&term, &info, &rest) == SIGTERM && info.si_pid == 1) machine_ends_it();
  }
}

void Shim::fail_start(std::string code, std::string message) {
  ExitRecord record;
  record.end = "start-failed";
  record.error_code = std::move(code);
  record.error = std::move(message);
  finish(record);
}

// What was killed and is not gone keeps what the kernel has of the machine: this waits for it, however long.
void Shim::kill_the_rest() {
  if (spec_.oci) {
    if (mounted_) umount2(spec_.mount_point.c_str(), MNT_DETACH);
    if (mounted_ && !spec_.disk.empty()) umount2(files_.layers().c_str(), MNT_DETACH);
  }
  close_cgroups(spec_);
  std::int64_t tell_at = boottime_now() + kPatience;
  for (int round = 0; !rest_is_gone(); ++round) {
    if (boottime_now() >= tell_at) {
      tell_what_stays();
      tell_at = boottime_now() + kTellAgain;
    }
    usleep(round < 20 ? 500 : round < 200 ? 10'000 : 200'000);
    copy_output();
  }
  if (spec_.oci) remove_tree(spec_.runtime_root + "/" + files_.key);
}

// Kills what is left, too.
bool Shim::rest_is_gone() {
  const bool children = !spec_.oci && kill_children();
  while (!spec_.oci && waitpid(-1, nullptr, WNOHANG) > 0) {}
  // What left its session while an earlier shim lived is not this one's child.
  const bool marked = !spec_.oci && adopted_ && spec_.cgroups.empty() && kill_marked(files_.key);
  return end_cgroups(spec_) && !children && !marked;
}

// To the agent, by the state record, and to whoever reads the output.
void Shim::tell_what_stays() {
  std::string left = left_in_cgroups(spec_);
  if (left.empty()) left = name_process(state_.main.pid);
  if (state_.stays != left)
    log_.append("berth: these processes were killed and do not end, so the session does not either: " + left +
                "\n");
  state_.stays = left;
  if (access(files_.state().c_str(), F_OK) != 0) return;  // nothing of it ran
  // A shim after this one would not know how the kernel's process ended.
  if (!spec_.oci && wait_status_ >= 0)
    write_aside(files_.in("orphan"), files_.in("orphan.new"), std::to_string(wait_status_) + "\n");
  write_state();
}

// On disk too, in one write to a file that is there already.
void Shim::note_end(const ExitRecord& record) {
  const int fd = open(files_.folders.ends().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;
  write_all(fd, encode_end(files_.key, record));
  if (machine_stops_) fsync(fd);
  close(fd);
}

// The exit record comes after everything of the kernel is gone (its slots are free then), the slow removal of
// its files after.
void Shim::finish(ExitRecord record) {
  if (done_) return;
  done_ = true;
  shut_door(files_.in("door"), door_);
  kill_the_rest();
  copy_output();
  record.ended_at = wall_now();
  note_end(record);
  // A result is not lost to a full disk: try until it is written.
  while (!write_aside(files_.exit(), files_.in("exit.new"), encode(record))) {
    if (errno == ENOENT && !keep_files()) return;
    usleep(200'000);
  }
  if (!spec_.oci) return;
  unlink(files_.disk().c_str());
  remove_tree(files_.layers());
}

}  // namespace berth::agents::shim
