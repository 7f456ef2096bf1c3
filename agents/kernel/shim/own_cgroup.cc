#include "agents/kernel/shim/own_cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <vector>

#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

void write_text(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  write_all(fd, text);
  close(fd);
}

void enter(const std::string& cgroup) {
  mkdir(cgroup.c_str(), 0755);
  write_text(cgroup + "/cgroup.procs", std::to_string(getpid()));
}

constexpr std::size_t kNamedMax = 3;

// Calls visit(path) for each cgroup directly below this one.
template <class Visit> void each_below(const std::string& cgroup, Visit visit) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(cgroup, error))
    if (entry.is_directory(error)) visit(entry.path().string());
}

std::vector<pid_t> processes_in(const std::string& cgroup) {
  const std::string procs = read_file(cgroup + "/cgroup.procs").value_or("");
  std::vector<pid_t> pids;
  char* end = nullptr;
  for (const char* at = procs.c_str();; at = end) {
    const long pid = std::strtol(at, &end, 10);
    if (end == at) return pids;
    if (pid > 1) pids.push_back(static_cast<pid_t>(pid));
  }
}

// One round. False: something is left in it, or below.
bool end_cgroup(const std::string& cgroup) {
  if (rmdir(cgroup.c_str()) == 0 || errno == ENOENT) return true;
  bool below = true;
  each_below(cgroup, [&](const std::string& inner) { below = end_cgroup(inner) && below; });
  write_text(cgroup + "/freezer.state", "THAWED");  // version 1: who is frozen does not die
  const std::vector<pid_t> pids = processes_in(cgroup);
  for (const pid_t pid : pids)
    if (pid != getpid()) kill(pid, SIGKILL);
  if (rmdir(cgroup.c_str()) == 0 || errno == ENOENT) return true;
  // Busy without a process: the last one is on its way out. Not for a shim that could not leave.
  const bool only_shim = pids.size() == 1 && pids[0] == getpid();
  return below && (only_shim || (errno != EBUSY && errno != ENOTEMPTY && pids.empty()));
}

void find_left(const std::string& cgroup, std::set<pid_t>& left) {
  for (const pid_t pid : processes_in(cgroup))
    if (pid != getpid()) left.insert(pid);
  each_below(cgroup, [&](const std::string& inner) { find_left(inner, left); });
}

}  // namespace

void enter_own_cgroup(const ShimSpec& spec) {
  if (spec.cpu_cgroup.empty()) return;
  // As the runtime has set them for the container.
  for (const char* bound :
       {"/cpu.shares", "/cpu.cfs_period_us", "/cpu.cfs_quota_us", "/cpu.weight", "/cpu.max"})
    if (const auto text = read_file(spec.cpu_cgroup + "/kernel" + bound))
      write_text(spec.cpu_cgroup + bound, *text);
  enter(spec.cpu_cgroup + "/shim");
}

void close_cgroups(const ShimSpec& spec) {
  if (!spec.cpu_cgroup.empty()) enter(spec.cpu_cgroup + "/../shims");
  for (const std::string& cgroup : spec.cgroups) {
    for (const char* part : {"", "/kernel"}) {
      write_text(cgroup + part + "/pids.max", "0");
      write_text(cgroup + part + "/cpu.cfs_quota_us", "-1");  // who is to die gets its turn
      write_text(cgroup + part + "/cpu.max", "max");
    }
    // All at once, where the machine's kernel can: never the part in which a shim may be.
    write_text(cgroup + (spec.oci ? "/kernel" : "") + "/cgroup.kill", "1");
  }
}

bool end_cgroups(const ShimSpec& spec) {
  bool all = true;
  for (const std::string& cgroup : spec.cgroups) all = end_cgroup(cgroup) && all;
  return all;
}

std::string name_process(std::int64_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  std::string name = read_file(process + "/comm", 64).value_or("?");
  while (!name.empty() && name.back() == '\n') name.pop_back();
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  const std::string waits = read_file(process + "/wchan", 64).value_or("");
  return name + " (process " + std::to_string(pid) + (waits.empty() || waits == "0" ? "" : ", in " + waits) +
         ")";
}

std::string left_in_cgroups(const ShimSpec& spec) {
  std::set<pid_t> left;
  for (const std::string& cgroup : spec.cgroups) find_left(cgroup, left);
  std::string text;
  std::size_t named = 0;
  for (const pid_t pid : left) {
    if (named++ == kNamedMax) break;
    text += (text.empty() ? "" : ", ") + name_process(pid);
  }
  if (left.size() > kNamedMax) text += " and " + std::to_string(left.size() - kNamedMax) + " more";
  return text;
}

bool kill_marked(const std::string& key) {
  const std::string mark = environment_mark(key) + '\0';
  bool any = false;
  DIR* const proc = opendir("/proc");
  while (const dirent* entry = proc != nullptr ? readdir(proc) : nullptr) {
    const auto id = identify(std::strtol(entry->d_name, nullptr, 10));
    const int process = id ? open_pidfd(*id) : -1;
    if (process < 0) continue;
    const auto environment = read_file(std::string("/proc/") + entry->d_name + "/environ").value_or("");
    const std::size_t at = environment.find(mark);
    if (at != std::string::npos && (at == 0 || environment[at - 1] == '\0'))
      any = signal_pidfd(process, SIGKILL) || any;
    close(process);
  }
  if (proc != nullptr) closedir(proc);
  return any;
}

bool remove_cgroup_tree(const std::string& cgroup) {
  // The last process leaves its cgroup a moment after it was reaped.
  for (int round = 0; round < 200; ++round) {
    if (end_cgroup(cgroup)) return true;
    usleep(round < 20 ? 1000 : 10'000);
  }
  return false;
}

}  // namespace berth::agents::shim
