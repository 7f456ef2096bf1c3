// A launcher or a shim that is frozen is named, and nobody waits for it for ever.
#include <algorithm>

#include "agents/kernel/shim_backend.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {
namespace {

class ImpatientRig final : public RealRig {
 public:
  ImpatientRig() : RealRig(BackendKind::kProcess) {}
  std::unique_ptr<KernelBackend> open() override {
    const BackendConfig c = config();
    auto backend = ShimBackend::open({.folders = {folder(), fast()},
                                      .launcher_path = c.launcher_path,
                                      .begin_max = kSecond,
                                      .end_max = 100 * kMillisecond},
                                     [&c] {
                                       return make_process_kind({c.init_path, c.process_user, ""});
                                     });
    EXPECT_TRUE(backend.ok());
    return backend.ok() ? std::move(*backend) : nullptr;
  }
};

class Frozen : public KernelBackendContract {
 protected:
  shim::ProcessId shim_of(const KernelKey& key) {
    const std::string path = static_cast<RealRig&>(*rig_).fast() + "/run/" + kernel_name(key) + ".state";
    return shim::decode_state(shim::read_file(path).value_or("")).value_or(shim::StateRecord{}).shim;
  }
  static pid_t parent_of(std::int64_t pid) {
    const std::string stat = shim::read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
    int parent = 0;
    sscanf(stat.c_str() + std::min(stat.rfind(')'), stat.size()), ") %*c %d", &parent);
    return parent;
  }
};

TEST_P(Frozen, ALauncherThatBeginsNoStartIsNamedAndTheStartNeverRuns) {
  const KernelKey first = start(Program::kLong);
  await_running(first);
  const pid_t launcher = parent_of(shim_of(first).pid);
  ASSERT_EQ(kill(launcher, SIGSTOP), 0);
  const KernelKey key = start(Program::kCount);
  const KernelEvent end = await_end(key);
  ASSERT_EQ(kill(launcher, SIGCONT), 0);
  EXPECT_EQ(end.end, KernelEnd::kStartFailed);
  EXPECT_EQ(end.error.code, "launcher-silent");
  EXPECT_NE(end.error.message.find(std::to_string(launcher)), std::string::npos) << end.error.message;
  EXPECT_EQ(await_end(start(Program::kExit7)).exit_code,
            7);  // the launcher has come to what it was asked before
  EXPECT_FALSE(find(key, KernelEvent::What::kRunning).has_value());
  EXPECT_EQ(log(key), "");
}

TEST_P(Frozen, AShimThatDoesNotEndItsKernelIsNamed) {
  const KernelKey key = start(Program::kLong);
  await_running(key);
  const std::int64_t shim = shim_of(key).pid;
  ASSERT_EQ(kill(static_cast<pid_t>(shim), SIGSTOP), 0);
  backend_->stop(key, 0);
  const KernelEvent told = await(key, KernelEvent::What::kStays);
  ASSERT_EQ(kill(static_cast<pid_t>(shim), SIGCONT), 0);
  EXPECT_NE(told.error.message.find("process " + std::to_string(shim)), std::string::npos)
      << told.error.message;
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

INSTANTIATE_TEST_SUITE_P(Process, Frozen,
                         testing::Values(RigFactory([] { return std::make_unique<ImpatientRig>(); })));

}  // namespace
}  // namespace berth::agents::contract
