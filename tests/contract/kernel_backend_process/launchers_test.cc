// Two launchers and one kernel: the old agent's is the parent of what its dead shims leave, the new agent's
// may be the first to replace a shim.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {
namespace {

class TwoLaunchers : public KernelBackendContract {
 protected:
  RealRig& real() { return static_cast<RealRig&>(*rig_); }
  // Where the kernel, which is another user, can see it.
  std::string go_file() {
    return std::filesystem::temp_directory_path() / ("berth-go-" + std::to_string(getpid()));
  }
  // Runs until the file is there, then exits 5.
  KernelSpec waiting_for_go() {
    KernelSpec spec = waiting_spec();
    spec.command = {"sh", "-c", "until [ -e " + go_file() + " ]; do sleep 0.02; done; exit 5"};
    return spec;
  }
  shim::ProcessId shim_of(const KernelKey& key) {
    const auto bytes = shim::read_file(real().fast() + "/run/" + kernel_name(key) + ".state");
    return shim::decode_state(bytes.value_or("")).value_or(shim::StateRecord{}).shim;
  }
  pid_t parent_of(std::int64_t pid) {
    const std::string stat = shim::read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
    int parent = 0;
    sscanf(stat.c_str() + std::min(stat.rfind(')'), stat.size()), ") %*c %d", &parent);
    return parent;
  }
  std::string children_of(pid_t pid) {
    const std::string text = std::to_string(pid);
    return shim::read_file("/proc/" + text + "/task/" + text + "/children").value_or("");
  }
  template <typename Condition> void eventually(const char* what, Condition condition) {
    for (int i = 0; i < 10'000; ++i) {
      if (condition()) return;
      rig_->step(*backend_);
    }
    ADD_FAILURE() << "never: " << what;
  }
};

TEST_P(TwoLaunchers, P23_TheEndIsKnownWhenTheNewAgentsLauncherIsTheFirstToReplaceAShim) {
  const KernelKey key = start(waiting_for_go());
  const std::int64_t kernel = await_running(key).pid;
  const shim::ProcessId first = shim_of(key);
  const pid_t launcher = parent_of(first.pid);
  backend_.reset();
  kill(launcher, SIGSTOP);
  rig_->kill_shim(key);
  eventually("the kernel is the old launcher's child", [&] { return parent_of(kernel) == launcher; });
  reopen();
  eventually("a shim of the new launcher has it", [&] { return shim_of(key).pid != first.pid; });
  kill(launcher, SIGCONT);
  eventually("the old launcher has no shim any more, or is gone", [&] {
    return children_of(launcher) == std::to_string(kernel) + " " || children_of(launcher).empty();
  });
  std::ofstream(go_file()).put('\n');
  const KernelEvent end = await_end(key);
  std::filesystem::remove(go_file());
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 5);
  eventually("the old launcher is gone", [&] { return waitpid(launcher, nullptr, WNOHANG) == launcher; });
}

// Else an agent that dies before its launcher has begun leaves a kernel that the journal takes for started
// and nobody knows, and its result would be unknown.
TEST_P(TwoLaunchers, P23_AKernelIsToldToBeCreatedOnlyWhenTheNextAgentWouldFindIt) {
  const KernelKey first = start(Program::kLong);
  await_running(first);
  const pid_t launcher = parent_of(shim_of(first).pid);
  kill(launcher, SIGSTOP);
  const KernelKey key = start(Program::kExit7);
  const std::string spec = real().fast() + "/kernels/" + kernel_name(key) + "/spec";
  eventually("the start was given", [&] { return std::filesystem::exists(spec); });
  backend_.reset();
  EXPECT_EQ(count(key, KernelEvent::What::kCreating), 0u);
  const std::vector<RecoveredKernel> found = reopen();
  EXPECT_EQ(find_in(found, key), nullptr);
  EXPECT_NE(find_in(found, first), nullptr);
  kill(launcher, SIGCONT);
  KernelSpec again = this->spec(Program::kExit7);
  again.key = key;
  backend_->start(again, rig_->rootfs());
  EXPECT_EQ(await_end(key).exit_code, 7);
}

INSTANTIATE_TEST_SUITE_P(Process, TwoLaunchers, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace
}  // namespace berth::agents::contract
