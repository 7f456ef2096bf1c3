#include "agents/kernel/shim/program.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

constexpr std::string_view kDefaultPath = "/bin:/usr/bin";  // as execvp() has it
constexpr int kNothingRan = 125;
constexpr int kCannotRun = 126, kNotFound = 127;  // as a shell says it

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view path_in(const std::vector<std::string>& environment) {
  for (const std::string_view entry : environment)
    if (entry.starts_with("PATH=")) return entry.substr(5);
  return kDefaultPath;
}

// The files that execvp() would try.
std::vector<std::string> candidates_for(const std::string& name, std::string_view path) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> files;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t colon = std::min(path.find(':', from), path.size());
    const std::string folder(path.substr(from, colon - from));
    files.push_back(folder.empty() ? name : folder + "/" + name);  // an empty one is the current folder
    from = colon + 1;
  }
  return files;
}

// Becomes a user without groups, capabilities and the means to get any. Bare system calls: the C library's
// would change its own books, which the shim shares. Async-signal-safe.
bool give_up_rights(std::uint32_t uid, std::uint32_t gid) {
  for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
    prctl(PR_CAPBSET_DROP, capability);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  return syscall(SYS_setgroups, 0, nullptr) == 0 && syscall(SYS_setresgid, gid, gid, gid) == 0 &&
         syscall(SYS_setresuid, uid, uid, uid) == 0 && syscall(SYS_capset, &header, none) == 0 &&
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

ShimSpec with_args(ShimSpec spec, std::vector<std::string> args) {
  spec.args = std::move(args);
  return spec;
}

bool may_be_elsewhere(int error) {
  return error == ENOENT || error == EACCES || error == ENOTDIR || error == ESTALE || error == ENODEV ||
         error == ETIMEDOUT;
}

}  // namespace

ProgramLaunch::ProgramLaunch(const ShimSpec& spec, const KernelFiles& files, const StateRecord& state)
    : ProgramLaunch(spec.args.empty() ? with_args(spec, {spec.init}) : spec, files, state, spec.args.empty(),
                    files.state()) {}

ProgramLaunch::ProgramLaunch(const ShimSpec& spec, const KernelFiles& files, const StateRecord& state,
                             int door, std::uint32_t restarts)
    : ProgramLaunch(with_args(spec, {spec.init, "--helper", std::to_string(door), std::to_string(restarts)}),
                    files, state, true, files.in("helper")) {
  door_ = door;
}

ProgramLaunch::ProgramLaunch(ShimSpec spec, const KernelFiles& files, const StateRecord& state,
                             bool runs_init, const std::string& record)
    : spec_(std::move(spec)),
      home_(files.folders.home()),
      lease_(files.folders.lease()),
      state_(record),
      aside_(files.in("state.new")),
      output_(files.in("out")),
      record_(state) {
  for (const std::string& cgroup : spec_.cgroups) joins_.push_back(cgroup + "/cgroup.procs");
  if (runs_init) init_ = Descriptor(open(spec_.init.c_str(), O_PATH | O_CLOEXEC));
  arguments_ = pointers_to(spec_.args);
  environment_ = pointers_to(spec_.env);
  candidates_ = candidates_for(spec_.args[0], path_in(spec_.env));
  static char shell[] = "/bin/sh";
  shell_arguments_ = {shell, nullptr};
  shell_arguments_.insert(shell_arguments_.end(), arguments_.begin() + 1, arguments_.end());
}

ProgramLaunch::Outcome ProgramLaunch::launch() {
  child_ = vfork();
  if (child_ == 0) be_child();
  if (child_ < 0) error_ = errno;
  return outcome_;
}

// Runs in the shim's memory: async-signal-safe functions and bare system calls only.
void ProgramLaunch::be_child() {
  outcome_ = Outcome::kNotRecorded;
  setsid();
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  set_oom_score(kKernelOomScore);
  rlimit files{};  // the launcher's own is higher
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_max = std::min<rlim_t>(kFilesHard, files.rlim_max);
    files.rlim_cur = std::min<rlim_t>(kFilesSoft, files.rlim_max);
    setrlimit(RLIMIT_NOFILE, &files);
  }
  if (!join_cgroups() || (chdir(home_.c_str()) != 0 && chdir("/") != 0)) {
    error_ = errno;
    _exit(kNothingRan);
  }
  start_ = own_start();
  started_at_ = wall_now();
  if (lease_deadline(spec_, lease_) <= boottime_now()) {
    outcome_ = Outcome::kLeaseOver;
    _exit(kNothingRan);
  }
  record_.set({getpid(), start_}, started_at_);
  if (!write_aside(state_, aside_, record_.bytes())) {
    error_ = errno;
    _exit(kNothingRan);
  }
  outcome_ = Outcome::kRecorded;
  take_output(output_.c_str());
  if (door_ >= 0) fcntl(door_, F_SETFD, 0);
  error_ = spec_.uid != 0 && !give_up_rights(spec_.uid, spec_.gid) ? errno : run_program();
  _exit(error_ == ENOENT ? kNotFound : kCannotRun);
}

bool ProgramLaunch::join_cgroups() {
  for (const std::string& procs : joins_) {
    const int fd = open(procs.c_str(), O_WRONLY | O_CLOEXEC);
    const bool joined = fd >= 0 && write_all(fd, "0");
    const int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    if (!joined) return false;
  }
  return true;
}

// execvp() without its memory. Returns why no candidate can be run.
int ProgramLaunch::run_program() {
  if (init_) {
    syscall(SYS_execveat, init_.get(), "", arguments_.data(), environment_.data(), AT_EMPTY_PATH);
    return errno;
  }
  int why = ENOENT;
  for (std::string& file : candidates_) {
    execve(file.c_str(), arguments_.data(), environment_.data());
    if (errno == ENOEXEC) {
      shell_arguments_[1] = file.data();
      execve(shell_arguments_[0], shell_arguments_.data(), environment_.data());
    }
    if (!may_be_elsewhere(errno)) return errno;
    if (errno == EACCES) why = EACCES;
  }
  return why;
}

}  // namespace berth::agents::shim
