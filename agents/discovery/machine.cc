#include "agents/discovery/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "events/base/system_clock.h"

namespace berth::agents {
namespace {

std::optional<std::string> first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  return word;
}

std::optional<std::int64_t> number_in(const std::string& path) {
  const auto word = first_word(path);
  std::int64_t value = 0;
  if (!word) return std::nullopt;
  const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), value);
  if (error != std::errc() || end != word->data() + word->size() || value <= 0) return std::nullopt;
  return value;
}

// Folder of this process in a cgroup hierarchy; "" selects version 2.
std::string own_cgroup(const std::string& controller) {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == "," + controller + "," ||
        controllers.find("," + controller + ",") != std::string::npos)
      return line.substr(second + 1);
  }
  return "/";
}

Amount cpus_online() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set) * kUnit;
  return std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)) * kUnit;
}

// In a container the own group is often mounted as the root of the hierarchy: the first of both that has the
// file counts.
std::optional<std::int64_t> cgroup_number(const std::string& mount, const std::string& controller,
                                          const std::string& file) {
  if (const auto value = number_in(mount + own_cgroup(controller) + "/" + file)) return value;
  return number_in(mount + "/" + file);
}

// Quota of the own cgroup in micro-cores.
std::optional<Amount> cpu_quota() {
  std::ifstream v2("/sys/fs/cgroup" + own_cgroup("") + "/cpu.max");
  std::int64_t quota = 0, period = 0;
  if (v2 >> quota >> period && quota > 0 && period > 0) return quota * kUnit / period;
  const auto quota_us = cgroup_number("/sys/fs/cgroup/cpu", "cpu", "cpu.cfs_quota_us");
  const auto period_us = cgroup_number("/sys/fs/cgroup/cpu", "cpu", "cpu.cfs_period_us");
  if (quota_us && period_us) return *quota_us * kUnit / *period_us;
  return std::nullopt;
}

std::optional<Amount> memory_limit() {
  if (const auto v2 = cgroup_number("/sys/fs/cgroup", "", "memory.max")) return v2;
  return cgroup_number("/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes");
}

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// In whole MiB: nobody wants a machine's memory to the byte.
std::string bytes(Amount amount) { return format_amount_human(SlotKind::kBytes, amount >> 20 << 20); }

}  // namespace

Memory read_memory(std::string_view meminfo, std::string_view arcstats) {
  Memory memory;
  Amount available = 0;
  std::istringstream lines{std::string(meminfo)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t kib = 0;
    if (!(words >> name >> kib)) continue;
    if (name == "MemTotal:") memory.total = kib * 1024;
    if (name == "MemAvailable:") available = kib * 1024;
    if (name == "Hugetlb:") memory.huge_pages = kib * 1024;  // of every size
  }
  memory.used = std::max<Amount>(0, memory.total - available);
  std::istringstream cache{std::string(arcstats)};
  for (std::string line; std::getline(cache, line);) {
    std::istringstream words(line);
    std::string name, type;
    std::int64_t value = 0;
    if (words >> name >> type >> value && name == "c_min") memory.arc_min = value;
  }
  return memory;
}

Amount default_mem_reserve(Amount mem) {
  return std::clamp<Amount>((mem / 16) >> 20 << 20, Amount{512} << 20, Amount{8} << 30);
}

Result<Machine> discover_machine() {
  Machine machine;
  machine.cpu = cpus_online();
  if (const auto quota = cpu_quota()) machine.cpu = std::min(machine.cpu, *quota);
  machine.memory = read_memory(text_of("/proc/meminfo"), text_of("/proc/spl/kstat/zfs/arcstats"));
  if (machine.memory.total <= 0)
    return make_error("discovery-failed", "/proc/meminfo has no MemTotal", "is /proc mounted?");
  machine.mem =
      std::max<Amount>(0, machine.memory.total - machine.memory.huge_pages - machine.memory.arc_min);
  if (const auto limit = memory_limit()) machine.mem = std::min(machine.mem, *limit);
  utsname names{};
  if (uname(&names) != 0) return make_error("discovery-failed", "uname() fails");
  machine.architecture = names.machine;
  machine.boot_id = boot_id();
  return machine;
}

Result<Machine> without_reserve(Machine machine, const Reserve& reserve) {
  if (reserve.cpu < 0 || reserve.cpu >= machine.cpu)
    return make_error("reserve-too-large",
                      "agent.reserve_cpu keeps " + format_amount_human(SlotKind::kCount, reserve.cpu) +
                          " cpu of " + format_amount_human(SlotKind::kCount, machine.cpu) +
                          ": nothing is left for kernels");
  const Amount mem = reserve.mem.value_or(default_mem_reserve(machine.mem));
  if (mem < 0 || mem >= machine.mem)
    return make_error("reserve-too-large", "agent.reserve_mem keeps " + bytes(mem) + " mem of " +
                                               bytes(machine.mem) + ": nothing is left for kernels");
  machine.cpu -= reserve.cpu;
  machine.mem -= mem;
  return machine;
}

std::string describe_memory(const Machine& machine, const Machine& usable) {
  const Memory& memory = machine.memory;
  std::string text = "offers " + bytes(usable.mem) + " of " + bytes(std::max(memory.total, machine.mem)) +
                     " of memory: " + bytes(machine.mem - usable.mem) +
                     " stay with the machine (--reserve-mem changes that)";
  if (memory.huge_pages > 0) text += ", " + bytes(memory.huge_pages) + " are huge pages";
  if (memory.arc_min > 0) text += ", " + bytes(memory.arc_min) + " are the least that ZFS keeps as its cache";
  return text;
}

}  // namespace berth::agents
