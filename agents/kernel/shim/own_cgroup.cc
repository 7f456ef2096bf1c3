#include "agents/kernel/shim/own_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

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

void kill_all_in(const std::string& cgroup) {
  const auto procs = read_file(cgroup + "/cgroup.procs");
  if (!procs) return;
  const char* at = procs->c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const long pid = std::strtol(at, &end, 10);
    if (end == at) return;
    if (pid > 1 && pid != getpid()) kill(static_cast<pid_t>(pid), SIGKILL);
    at = *end == '\n' ? end + 1 : end;
  }
}

void remove_cgroup(const std::string& cgroup) {
  // The last process leaves its cgroup a moment after it was reaped.
  for (int attempt = 0; attempt < 200 && rmdir(cgroup.c_str()) != 0 && errno == EBUSY; ++attempt) {
    kill_all_in(cgroup);
    usleep(attempt < 20 ? 1000 : 10'000);
  }
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

void remove_cgroups(const ShimSpec& spec) {
  if (!spec.cpu_cgroup.empty()) enter(spec.cpu_cgroup + "/../shims");
  for (const std::string& cgroup : spec.cgroups)
    for (const char* part : {"/kernel", "/shim", ""}) remove_cgroup(cgroup + part);
}

void remove_cgroup_tree(const std::string& cgroup) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(cgroup, error))
    if (entry.is_directory(error)) remove_cgroup_tree(entry.path());
  remove_cgroup(cgroup);
}

}  // namespace berth::agents::shim
