#include "agents/kernel/shim/program.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

constexpr std::string_view kDefaultPath = "/bin:/usr/bin";  // as execvp() has it
constexpr int kNothingRan = 125;
constexpr int kCannotRun = 126, kNotFound = 127;  // as a shell says it

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
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

bool may_be_elsewhere(int error) {
  return error == ENOENT || error == EACCES || error == ENOTDIR || error == ESTALE || error == ENODEV ||
         error == ETIMEDOUT;
}

}  // namespace

ProgramLaunch::ProgramLaunch(const ShimSpec& spec, const KernelFiles& files, const StateRecord& state)
    : spec_(spec),
      home_(files.folders.data + "/home"),
      lease_(files.folders.lease()),
      state_(files.state()),
      aside_(files.in("state.new")),
      output_(files.in("out")),
      record_(state) {
  if (spec_.args.empty()) spec_.args = {spec_.init};
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
  if (chdir(home_.c_str()) != 0 && chdir("/") != 0) {
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
  error_ = run_program();
  _exit(error_ == ENOENT ? kNotFound : kCannotRun);
}

// execvp() without its memory. Returns why no candidate can be run.
int ProgramLaunch::run_program() {
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
