#include "agents/kernel/shim/machine_stop.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "agents/kernel/shim/records.h"
#include "agents/kernel/shim/system.h"
#include "events/base/clock.h"

namespace berth::agents::shim {
namespace {

constexpr int kUnitMayWait = 20;  // seconds for systemd's answer
constexpr int kShimMayWait = 2;   // a lease that ends meanwhile ends its kernel so much later
constexpr std::int64_t kAfterGrace = 10 * kSecond;  // from the kill to the record

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const opened = opendir(folder.c_str());
  while (const dirent* entry = opened != nullptr ? readdir(opened) : nullptr)
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  if (opened != nullptr) closedir(opened);
  return names;
}

// Their folders are where fast_folder.h makes them.
std::vector<Folders> agents_of_machine() {
  std::vector<Folders> agents;
  for (const std::string place : {"/run", "/dev/shm"})
    for (const std::string& name : names_in(place)) {
      const std::string fast = place + "/" + name;
      if (name.compare(0, 6, "berth-") != 0 || !is_own_closed_folder(fast)) continue;
      if (auto data = read_file(fast + kNameOfData, 8192)) agents.push_back({std::move(*data), fast});
    }
  return agents;
}

std::vector<KernelFiles> kernels_of_machine() {
  std::vector<KernelFiles> kernels;
  for (const Folders& folders : agents_of_machine())
    for (const std::string& key : names_in(folders.fast + "/kernels")) kernels.push_back({folders, key});
  return kernels;
}

bool has_ended(const KernelFiles& files) {
  return access(files.exit().c_str(), F_OK) == 0 || access(files.dir().c_str(), F_OK) != 0;
}

// How the system is, in systemd's word; empty: systemd does not say within so many seconds.
std::string state_of_system(int seconds) { return ask_systemd("is-system-running", seconds); }

void sync_ends(const std::vector<KernelFiles>& kernels) {
  for (const KernelFiles& files : kernels) {
    const int fd = open(files.folders.ends().c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) continue;
    fsync(fd);
    close(fd);
  }
}

}  // namespace

bool system_goes_on() {
  const std::string state = state_of_system(kShimMayWait);
  return state == "running" || state == "degraded" || state == "starting";
}

std::string encode(const StopRequest& request) {
  return encode_fields(
      {{"grace", std::to_string(request.grace)}, {"cause", request.machine ? kMachineStopped : ""}});
}

StopRequest decode_stop(const std::string& bytes) {
  StopRequest request;
  const auto fields = decode_fields(bytes);
  if (!fields) return request;
  for (const auto& [name, value] : *fields) {
    if (name == "grace") request.grace = std::strtoll(value.c_str(), nullptr, 10);
    if (name == "cause") request.machine = value == kMachineStopped;
  }
  return request;
}

void ask_for_stop(const KernelFiles& files, StopRequest request, const char* aside) {
  if (const auto bytes = read_file(files.in("stop"), 4096)) {
    const StopRequest before = decode_stop(*bytes);
    request.machine = before.machine;
    if (before.grace < request.grace) request.grace = before.grace;
  }
  write_aside(files.in("stop"), files.in(aside), encode(request));
}

void be_stopped_by_machine(ExitRecord& record) {
  record.end = kMachineStopped;
  record.error_code = kMachineStopped;
  record.error = "the machine was shut down or restarted";
}

// A shim that another one replaces reads the file when it takes over.
void end_for_machine(const KernelFiles& files, std::int64_t grace) {
  ask_for_stop(files, {grace, true}, "stop.machine");
  const auto bytes = read_file(files.state());
  const auto state = bytes ? decode_state(*bytes) : std::nullopt;
  const int shim = state ? open_pidfd(state->shim) : -1;
  if (shim < 0) return;
  signal_pidfd(shim, SIGUSR1);
  close(shim);
}

int stop_for_machine(int grace_seconds) {
  if (state_of_system(kUnitMayWait) != "stopping") {
    printf("the system is not stopping: kernels go on\n");
    return 0;
  }
  const std::int64_t grace = (grace_seconds > 0 ? grace_seconds : 0) * kSecond;
  const std::vector<KernelFiles> kernels = kernels_of_machine();
  for (const KernelFiles& files : kernels)
    if (!has_ended(files)) end_for_machine(files, grace);
  const std::int64_t until = boottime_now() + grace + kAfterGrace;
  std::size_t left = 0;
  do {
    left = 0;
    for (const KernelFiles& files : kernels) left += has_ended(files) ? 0 : 1;
    if (left > 0) usleep(20'000);
  } while (left > 0 && boottime_now() < until);
  sync_ends(kernels);
  for (const KernelFiles& files : kernels)
    if (!has_ended(files)) printf("kernel %s has not ended in time\n", files.key.c_str());
  printf("%zu kernels were asked to end because the machine stops, %zu have not ended\n", kernels.size(),
         left);
  return left == 0 ? 0 : 1;
}

}  // namespace berth::agents::shim
