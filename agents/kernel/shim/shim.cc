#include "agents/kernel/shim/shim.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "agents/kernel/shim/door.h"
#include "agents/kernel/shim/folders.h"
#include "agents/kernel/shim/machine_stop.h"
#include "agents/kernel/shim/own_cgroup.h"
#include "agents/kernel/shim/program.h"
#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {

namespace {

constexpr std::int64_t kRuntimeLimit = 60'000'000'000;  // ns, for the runtime to make a container

}  // namespace

Shim::Shim(KernelFiles files, int output_fd, Descriptor door, Descriptor disk)
    : files_(std::move(files)),
      log_(files_),
      output_(output_fd),
      door_(std::move(door)),
      disk_(std::move(disk)) {}

// The lock first: who holds it is the kernel's only shim.
bool Shim::take_kernel() {
  lock_ = take_lock(files_.in("lock"));
  if (lock_ < 0) return false;
  return true;
}

bool Shim::set_signals() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setsid();
  sigset_t mask;
  sigfillset(&mask);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  sigaddset(&mask, SIGUSR1);  // "look for a stop"
  // From process 1 alone: the machine stops. All others stay blocked: a shim ends when its kernel has.
  sigaddset(&mask, SIGTERM);
  signals_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  lease_timer_ = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  timer_ = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  return signals_ >= 0 && lease_timer_ >= 0 && timer_ >= 0;
}

int Shim::start() {
  if (!take_kernel()) return kExitShimBusy;
  if (access(files_.exit().c_str(), F_OK) == 0 || access(files_.state().c_str(), F_OK) == 0)
    return kExitShimBusy;
  return run_new();
}

// REQUIRES: the lock, and neither state nor exit on disk: nothing of this kernel ever ran.
int Shim::run_new() {
  const auto bytes = read_file(files_.in("spec"));
  const auto spec = bytes ? decode_spec(*bytes) : std::nullopt;
  set_signals();
  if (!spec) {
    fail_start("spec-unreadable", "the kernel's spec on disk is damaged");
    return 0;
  }
  spec_ = *spec;
  if (!door_) door_ = make_door(files_.in("door"));
  log_.open(false);
  state_.shim = identify(getpid()).value_or(ProcessId{});
  state_.boot = boot_id();
  look_for_stop();
  if (stopping_) {
    ExitRecord record{.end = "stopped", .code = 128 + SIGTERM, .error_code = {}, .error = {}};
    if (machine_stops_) be_stopped_by_machine(record);
    finish(record);
    return 0;
  }
  check_lease();
  if (lease_over_) return 0;
  spec_.oci ? launch_runtime() : launch_process();
  return done_ ? 0 : follow();
}

int Shim::adopt() {
  if (!take_kernel() || access(files_.exit().c_str(), F_OK) == 0) return kExitShimBusy;
  const auto bytes = read_file(files_.state());
  if (!bytes && errno == ENOENT) return run_new();
  adopted_ = true;
  set_signals();
  const auto spec_bytes = read_file(files_.in("spec"));
  const auto spec = spec_bytes ? decode_spec(*spec_bytes) : std::nullopt;
  if (spec) spec_ = *spec;
  open_init();
  log_.open(true);
  const auto state = bytes ? decode_state(*bytes) : std::nullopt;
  if (!state || !spec) {
    if (state && state->boot == boot_id() && same_process(state->main))
      kill(static_cast<pid_t>(state->main.pid), SIGKILL);
    finish({.end = "unknown",
            .error_code = "record-damaged",
            .error = "the kernel's record on disk is damaged"});
    return 0;
  }
  state_ = *state;
  state_.shim = identify(getpid()).value_or(ProcessId{});
  if (state_.boot != boot_id()) {
    finish({.end = kMachineStopped,
            .started_at = state_.started_at,
            .error_code = "machine-restarted",
            .error = "the machine stopped while the kernel ran"});
    return 0;
  }
  if (!state_.running) await_runtime_of_dead_shim();
  if (!done_) main_pidfd_ = open_pidfd(state_.main);
  if (!done_ && main_pidfd_ < 0) main_gone_unseen();
  if (done_) return 0;
  state_.running = true;
  write_state();
  enter_own_cgroup(spec_);
  find_helper();
  look_for_stop();
  check_lease();
  return done_ ? 0 : follow();
}

// The shim died while the runtime was at work. It goes on without us, so wait for it, then see what it made.
void Shim::await_runtime_of_dead_shim() {
  const int runtime = open_pidfd(state_.runtime);
  if (runtime >= 0) {
    const std::int64_t limit = boottime_now() + kRuntimeLimit;
    const auto ended_until = [&](std::int64_t boottime) {
      pollfd wait{runtime, POLLIN, 0};
      const std::int64_t left = std::max<std::int64_t>(boottime - boottime_now(), 0);
      return poll(&wait, 1, static_cast<int>(left / 1'000'000 + 1)) != 0;
    };
    // The lease may be renewed while this waits.
    while (!ended_until(std::min(limit, lease_deadline(spec_, files_.folders.lease())))) {
      if (boottime_now() < limit && !lease_over()) continue;
      signal_pidfd(runtime, SIGKILL);
      break;
    }
    close(runtime);
  }
  state_.main = identify(runtime_pid(files_)).value_or(ProcessId{});
  if (state_.main.pid == 0 && !read_init_record(init_file()).started)
    fail_start("shim-died", "the shim died while it started the kernel");
}

bool Shim::write_state() { return write_aside(files_.state(), files_.in("state.new"), encode(state_)); }

// Writes the state record, then lets the child go on. On failure the child is ended; it has run nothing.
bool Shim::record_and_open_gate(int gate_write, pid_t child) {
  state_.runtime = identify(child).value_or(ProcessId{child, 0});
  state_.started_at = wall_now();
  if (write_state() && !lease_over() && write(gate_write, "g", 1) == 1) {
    close(gate_write);
    return true;
  }
  const std::string why = std::strerror(errno);
  const bool late = lease_over();
  close(gate_write);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (late)
    finish({.end = "lease-over", .code = 128 + SIGKILL, .error_code = {}, .error = {}});
  else
    fail_start("record-not-written", "the kernel's record cannot be written: " + why);
  return false;
}

void Shim::launch_process() {
  for (const std::string& cgroup : spec_.cgroups)
    if (mkdir(cgroup.c_str(), 0755) != 0 && errno != EEXIST)
      return fail_start("cgroup-not-made", "cannot make " + cgroup + ": " + std::strerror(errno));
  ProgramLaunch launch(spec_, files_, state_);
  const ProgramLaunch::Outcome outcome = launch.launch();
  if (outcome == ProgramLaunch::Outcome::kNoProcess)
    return fail_start("no-process", std::strerror(launch.error()));
  if (outcome != ProgramLaunch::Outcome::kRecorded) waitpid(launch.child(), nullptr, 0);
  if (outcome == ProgramLaunch::Outcome::kLeaseOver)
    return finish({.end = "lease-over", .code = 128 + SIGKILL, .error_code = {}, .error = {}});
  if (outcome == ProgramLaunch::Outcome::kNotRecorded)
    return fail_start("record-not-written", std::strerror(launch.error()));
  state_.running = true;
  state_.main = launch.process();
  state_.started_at = launch.started_at();
  if (launch.error() != 0)
    log_.append(std::string("berth: cannot run '") + launch.program() +
                "': " + std::strerror(launch.error()) + "\n");
  // The program runs, or has ended already: reap() takes its exit status.
}

// The root of the container, with its folders in it. False: the start has failed.
bool Shim::mount_root() {
  const auto root_failed = [this](const std::string& why) {
    if (!why.empty()) fail_start("rootfs-not-mounted", why);
    return !why.empty();
  };
  const auto folders_failed = [this](const FolderTrouble& trouble) {
    if (trouble) fail_start(trouble.code, trouble.message);
    return static_cast<bool>(trouble);
  };
  std::vector<Descriptor> clones;
  std::string left_out;
  // Clones first: the overlay may stand where a volume lies.
  if (root_failed(enter_own_mounts()) || folders_failed(clone_folders(spec_, clones, left_out)) ||
      root_failed(mount_overlay(spec_, files_, std::move(disk_))))
    return false;
  mounted_ = true;
  if (folders_failed(place_folders(spec_, clones, left_out))) return false;
  if (!left_out.empty()) log_.append("berth: without the automatic folder: " + left_out + "\n");
  return true;
}

void Shim::launch_runtime() {
  if (!mount_root()) return;
  open_init();
  int gate[2];
  if (pipe2(gate, O_CLOEXEC) != 0) return fail_start("no-process", std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) return fail_start("no-process", std::strerror(errno));
  if (child == 0) {
    close(gate[1]);
    be_runtime(gate[0]);
  }
  close(gate[0]);
  if (!record_and_open_gate(gate[1], child)) return;
  itimerspec limit{};
  limit.it_value.tv_sec = kRuntimeLimit / 1'000'000'000;
  timerfd_settime(timer_, 0, &limit, nullptr);
}

void Shim::be_runtime(int gate) {
  char go = 0;
  if (read(gate, &go, 1) != 1) _exit(125);  // the shim died first: this kernel has not run and never will
  take_output(files_.in("out").c_str());
  const int init_record = open(files_.in("init").c_str(), O_WRONLY | O_APPEND);
  if (init_record < 0 || dup2(init_record, kExitFd) != kExitFd) _exit(125);
  if (init_record != kExitFd) close(init_record);
  if (door_.get() == kDoorFd)
    fcntl(kDoorFd, F_SETFD, 0);
  else if (door_)
    dup2(door_.get(), kDoorFd);
  exec_runtime(spec_, files_, static_cast<bool>(door_));
  const std::string why = "cannot run " + spec_.runtime + ": " + std::strerror(errno);
  dprintf(2, "berth: %s\n", why.c_str());
  const int log = open(files_.in("runtime.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dprintf(log, "{\"level\":\"error\",\"msg\":\"%s\"}\n", why.c_str());  // as the runtime tells its own
  _exit(127);
}

}  // namespace berth::agents::shim
