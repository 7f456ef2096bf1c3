#include "agents/kernel/trial/kept.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <vector>

#include "agents/kernel/shim/system.h"

namespace berth::agents {
namespace {

constexpr Amount kPage = 4096;  // limits of memory are whole pages

std::string proc(std::int64_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// The cgroups that the process is in, one for each hierarchy; also where this machine shows the tree from
// another root than /proc names it from.
std::vector<std::string> cgroups_of(const CgroupLayout& layout, const std::string& expected,
                                    std::int64_t pid) {
  std::vector<std::string> paths{expected};
  std::istringstream lines(shim::read_file(proc(pid, "cgroup")).value_or(""));
  for (std::string line; std::getline(lines, line);) {  // "4:memory:/path", "0::/path"
    const std::size_t colon = line.find(':', line.find(':') + 1);
    if (colon != std::string::npos && colon + 2 < line.size()) paths.push_back(line.substr(colon + 1));
  }
  std::vector<std::string> found;
  for (const std::string& root : layout.roots)
    for (const std::string& path : paths) {
      const auto members = shim::read_file(root + path + "/cgroup.procs");
      if (!members || !has_line(*members, std::to_string(pid))) continue;
      found.push_back(root + path);
      break;
    }
  return found;
}

// The first word of that file of whichever cgroup has it.
std::optional<std::string> setting(const std::vector<std::string>& cgroups, const char* file) {
  for (const std::string& cgroup : cgroups)
    if (auto text = shim::read_file(cgroup + "/" + file, 256)) return *text;
  return std::nullopt;
}

Error not_kept(const std::string& file, const std::string& is, const std::string& asked) {
  const std::string value = is.substr(0, is.find('\n'));
  return make_error("limit-not-kept", "the runtime started a kernel, and its " + file + " is " + value +
                                          " where " + asked + " was asked");
}

Error no_such_limit(const char* what) {
  return make_error("limit-not-kept",
                    std::string("the runtime started a kernel, and no cgroup bounds its ") + what,
                    "`berth agent check` says which controllers this machine has");
}

Result<void> check_memory(const std::vector<std::string>& cgroups, Amount asked) {
  for (const char* file : {"memory.max", "memory.limit_in_bytes"}) {
    const auto text = setting(cgroups, file);
    if (!text) continue;
    const std::int64_t bytes = std::strtoll(text->c_str(), nullptr, 10);
    if (bytes > asked || bytes <= asked - kPage) return not_kept(file, *text, std::to_string(asked));
    return {};
  }
  return no_such_limit("memory");
}

// As much of each period as was asked for.
Result<void> check_cpu(const std::vector<std::string>& cgroups, Amount asked) {
  if (const auto text = setting(cgroups, "cpu.max")) {
    std::istringstream words(*text);
    std::int64_t quota = 0, period = 0;
    if (words >> quota >> period && quota > 0 && period > 0 && quota * kUnit / period <= asked) return {};
    return not_kept("cpu.max", *text, std::to_string(asked / 10) + " 100000");
  }
  const auto quota = setting(cgroups, "cpu.cfs_quota_us"), period = setting(cgroups, "cpu.cfs_period_us");
  if (!quota || !period) return no_such_limit("processor time");
  const std::int64_t us = std::strtoll(quota->c_str(), nullptr, 10);
  const std::int64_t of = std::strtoll(period->c_str(), nullptr, 10);
  if (us > 0 && of > 0 && us * kUnit / of <= asked) return {};
  return not_kept("cpu.cfs_quota_us", *quota, std::to_string(asked / 10));
}

// A machine without a controller of pids has no such bound.
Result<void> check_pids(const std::vector<std::string>& cgroups, std::uint32_t asked) {
  const auto text = setting(cgroups, "pids.max");
  if (!text) return {};
  const std::int64_t pids = std::strtoll(text->c_str(), nullptr, 10);
  if (pids <= 0 || pids > asked) return not_kept("pids.max", *text, std::to_string(asked));
  return {};
}

std::string link_of(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : "";
}

Error no_wall(const std::string& what) {
  return make_error("wall-missing", "the runtime started a kernel, and " + what);
}

}  // namespace

Result<void> check_limits(const CgroupLayout& layout, const std::string& cgroup, const KernelSpec& spec,
                          std::int64_t pid) {
  const auto cgroups = cgroups_of(layout, cgroup, pid);
  if (spec.mem > 0)
    if (auto kept = check_memory(cgroups, spec.mem); !kept.ok()) return kept;
  if (spec.cpu > 0)
    if (auto kept = check_cpu(cgroups, spec.cpu); !kept.ok()) return kept;
  return check_pids(cgroups, spec.pids_max);
}

Result<void> check_walls(std::int64_t pid) {
  for (const char* space : {"user", "pid", "mnt", "uts", "ipc", "cgroup", "net"}) {
    const std::string name = std::string("ns/") + space;
    const std::string inside = link_of(proc(pid, name.c_str()));
    if (inside.empty() || inside == link_of("/proc/self/" + name))
      return no_wall(std::string("it has no namespace of its own of the kind ") + space);
  }
  const std::string status = shim::read_file(proc(pid, "status")).value_or("");
  if (!has_line(status, "Seccomp:\t2")) return no_wall("no filter of system calls (seccomp) is on it");
  if (!has_line(status, "NoNewPrivs:\t1")) return no_wall("its programs can get new privileges");
  std::istringstream map(shim::read_file(proc(pid, "uid_map")).value_or(""));
  std::int64_t inside = -1, outside = 0;
  if (!(map >> inside >> outside) || inside != 0 || outside == 0)
    return no_wall("its user 0 is the machine's root");
  return {};
}

}  // namespace berth::agents
