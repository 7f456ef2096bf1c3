// F9: nothing of a kernel outlives it, whatever died before.
#include "agents/kernel/shim_backend.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {
namespace {

// A machine on which the agent may not make cgroups.
class RigWithoutCgroups final : public RealRig {
 public:
  RigWithoutCgroups() : RealRig(BackendKind::kProcess) {}
  std::unique_ptr<KernelBackend> open() override {
    const BackendConfig c = config();
    auto backend = ShimBackend::open({{folder(), fast()}, c.launcher_path},
                                     make_process_kind({c.init_path, c.process_user, ""}));
    EXPECT_TRUE(backend.ok());
    return backend.ok() ? std::move(*backend) : nullptr;
  }
};

class Children : public KernelBackendContract {
 protected:
  static bool lives(pid_t pid) {
    const auto stat = shim::read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
    const std::size_t at = stat.rfind(')');
    return at != std::string::npos && stat[at + 2] != 'Z' && stat[at + 2] != 'X';
  }
};

// One child whose parent is the program, one whose parent is gone: each in a session of its own.
TEST_P(Children, F9_EndWithTheirKernelThoughItsShimDied) {
  KernelSpec asked = waiting_spec();
  asked.command = {"sh", "-c",
                   "setsid sh -c 'echo near $$ ; exec sleep 300' & "
                   "(setsid sh -c 'echo far $$ ; exec sleep 300' &) ; wait"};
  const KernelKey key = start(asked);
  await_log(key, "near ");
  await_log(key, "far ");
  await_log(key, "\n");
  const std::string said = log(key);
  const auto pid_after = [&](const char* word) {
    return static_cast<pid_t>(std::stol(said.substr(said.find(word) + std::string(word).size())));
  };
  const pid_t near = pid_after("near "), far = pid_after("far ");
  rig_->kill_shim(key);
  backend_->stop(key, 0);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
  EXPECT_FALSE(lives(near));
  EXPECT_FALSE(lives(far));
}

INSTANTIATE_TEST_SUITE_P(ByCgroup, Children, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));
INSTANTIATE_TEST_SUITE_P(ByMark, Children,
                         testing::Values(RigFactory([] { return std::make_unique<RigWithoutCgroups>(); })));

}  // namespace
}  // namespace berth::agents::contract
