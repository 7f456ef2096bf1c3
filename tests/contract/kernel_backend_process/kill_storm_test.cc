// P23 under fire: launchers, shims and agents are killed at random moments while kernels come and go.
#include <dirent.h>

#include <map>

#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {
namespace {

class KillStorm : public KernelBackendContract {
 protected:
  KernelSpec printer(const KernelKey& key) {
    KernelSpec asked = waiting_spec();
    asked.key = key;
    asked.command = {"sh", "-c", "echo run; sleep 0.2; exit 5"};
    return asked;
  }
  // Launcher and shims alike carry the data folder in their command line; kernels do not.
  std::vector<pid_t> helpers() {
    const std::string folder = static_cast<RealRig&>(*rig_).folder();
    std::vector<pid_t> found;
    DIR* proc = opendir("/proc");
    while (const dirent* entry = readdir(proc)) {
      const long pid = strtol(entry->d_name, nullptr, 10);
      if (pid <= 0) continue;
      const auto line =
          shim::read_file(std::string("/proc/") + entry->d_name + "/cmdline", 4096).value_or("");
      if (line.find("berth-launcher") == std::string::npos || line.find(folder) == std::string::npos)
        continue;
      found.push_back(static_cast<pid_t>(pid));
    }
    closedir(proc);
    return found;
  }
};

TEST_P(KillStorm, NoKernelRunsTwiceAndNoResultIsLost) {
  Rng rng(20261121);
  std::vector<KernelKey> keys;
  for (int i = 0; i < 60; ++i) {
    keys.push_back(start(printer(waiting_spec().key)));
    usleep(static_cast<useconds_t>(rng.below(20'000)));
    const std::vector<pid_t> victims = helpers();
    if (rng.chance(1, 3) && !victims.empty()) kill(victims[rng.below(victims.size())], SIGKILL);
    if (rng.chance(1, 12)) {
      const std::vector<RecoveredKernel> found = reopen();
      const std::lock_guard lock(mutex_);
      events_.insert(events_.end(), found.begin(), found.end());
    }
  }
  std::map<KernelEnd, int> ends;
  int silent = 0;
  for (const KernelKey& key : keys) {
    // An agent that died before it began a start has dropped it: the kernel never ran, and the order comes
    // again.
    if (!find(key, KernelEvent::What::kEnded)) backend_->start(printer(key), "");
    const KernelEvent end = await_end(key);
    ++ends[end.end];
    silent += log(key).empty() ? 1 : 0;
    EXPECT_TRUE(log(key) == "run\n" || log(key).empty()) << "ran twice: " << log(key);
    EXPECT_TRUE(end.end != KernelEnd::kExited || end.exit_code == 5);
  }
  // Signalled or failed: the victim was the kernel's own process, a moment before it became its program.
  // Unknown, or without its output: shim and launcher of one kernel were both killed; a process, other than a
  // container, has no init that notes its end.
  const int other =
      ends[KernelEnd::kSignalled] + ends[KernelEnd::kStartFailed] + ends[KernelEnd::kResultUnknown];
  EXPECT_EQ(ends[KernelEnd::kExited] + other, 60);
  EXPECT_GE(ends[KernelEnd::kExited], 45);
  EXPECT_LE(silent, 15);
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Process, KillStorm, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace berth::agents::contract
