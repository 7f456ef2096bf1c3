#include "bench/bare.h"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>

#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/oci_config.h"
#include "bench/kernel_rig.h"
#include "bench/tools.h"

extern char** environ;

namespace berth::bench {
namespace {

constexpr std::uint32_t kIdBase = 100000;  // as BackendConfig has it

pid_t spawn(const std::vector<std::string>& argv, posix_spawn_file_actions_t* actions) {
  std::vector<char*> words;
  for (const auto& word : argv)
    words.push_back(const_cast<char*>(word.c_str()));  // NOLINT: exec takes what it does not change
  words.push_back(nullptr);
  pid_t pid = 0;
  if (::posix_spawnp(&pid, words[0], actions, nullptr, words.data(), environ) != 0)
    give_up(make_error("internal-error", "cannot run " + argv[0]));
  return pid;
}

void must_exit_well(int status, const std::string& what) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) give_up(make_error("internal-error", what + " failed"));
}

}  // namespace

double fork_and_exec(const std::vector<std::vector<std::string>>& argv, std::uint64_t parallel) {
  const Stopwatch watch;
  std::vector<pid_t> running;
  std::size_t next = 0;
  for (std::size_t ended = 0; ended < argv.size(); ++ended) {
    for (; next < argv.size() && running.size() < parallel; ++next)
      running.push_back(spawn(argv[next], nullptr));
    // Children of others (a launcher) are not to be reaped here: only those of this list, the first that is
    // done.
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) != 0)
      give_up(make_error("internal-error", "waitid fails"));
    int status = 0;
    const auto found = std::find(running.begin(), running.end(), info.si_pid);
    if (found == running.end()) give_up(make_error("internal-error", "a process ended that was not to"));
    ::waitpid(info.si_pid, &status, 0);
    must_exit_well(status, argv[0][0]);
    running.erase(found);
  }
  return watch.seconds();
}

std::string say(const std::vector<std::string>& argv, std::int64_t& started) {
  int ends[2];
  if (::pipe(ends) != 0) give_up(make_error("internal-error", "no pipe"));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_addclose(&actions, ends[0]);
  ::posix_spawn_file_actions_addclose(&actions, ends[1]);
  started = wall_ns();
  const pid_t pid = spawn(argv, &actions);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string said;
  char bytes[256];
  for (ssize_t got; (got = ::read(ends[0], bytes, sizeof bytes)) > 0;)
    said.append(bytes, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  must_exit_well(status, argv[0]);
  return said;
}

Bundle::Bundle(const std::string& folder, const std::string& rootfs, const agents::KernelSpec& spec)
    : folder_(folder + "/bundle") {
  std::filesystem::create_directories(folder_);
  for (auto path = std::filesystem::path(rootfs).parent_path(); path.string().size() >= folder.size();
       path = path.parent_path())
    ::chmod(path.c_str(), 0755);
  ::chmod(folder_.c_str(), 0755);
  const auto cgroups = must(agents::read_cgroup_layout());
  std::error_code ec;
  const auto init = std::filesystem::read_symlink("/proc/self/exe", ec).parent_path() / "berth-init";
  agents::OciSettings settings{
      rootfs, init.string(), folder_, "/berth-bench", kIdBase, 65536, cgroups.v2 || cgroups.counts_swap, {}};
  for (const char* name : {"hosts", "hostname", "init"}) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "";
    ::chmod(path.c_str(), 0644);
    if (::chown(path.c_str(), kIdBase, kIdBase) != 0)
      give_up(make_error("not-root", "containers need root on this machine"));
  }
  auto config = agents::make_oci_config(spec, settings);
  // One bundle for all runs: the runtime makes a cgroup of its own for each.
  config["linux"].as_object().erase("cgroupsPath");
  std::ofstream(folder_ + "/config.json") << boost::json::serialize(config);
}

std::vector<std::string> Bundle::run_command(std::uint64_t number) const {
  return {"runc",
          "--root",
          folder_ + "/state",
          "run",
          "--bundle",
          folder_,
          "bench-" + std::to_string(::getpid()) + "-" + std::to_string(number)};
}

}  // namespace berth::bench
