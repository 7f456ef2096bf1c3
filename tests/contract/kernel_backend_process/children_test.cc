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
    auto backend = ShimBackend::open({{folder(), fast()}, c.launcher_path}, [&c] {
      return make_process_kind({c.init_path, c.process_user, ""});
    });
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
  // The process id that the kernel printed behind this word.
  pid_t pid_said(const KernelKey& key, const std::string& word) {
    await_log(key, word);
    await_log(key, "\n");
    const std::string said = log(key);
    return static_cast<pid_t>(std::stol(said.substr(said.find(word) + word.size())));
  }
  void await_gone(pid_t pid) {
    for (int i = 0; i < 2000 && lives(pid); ++i) rig_->step(*backend_);
    EXPECT_FALSE(lives(pid));
  }
  // Its child has neither its parent, nor its session, nor its environment.
  KernelSpec with_stranger() {
    KernelSpec asked = waiting_spec();
    asked.command = {
        "sh", "-c", "(setsid env -i /bin/sh -c 'echo stranger $$ ; exec /bin/sleep 300' &) ; exec sleep 300"};
    return asked;
  }
};

// One child whose parent is the program, one whose parent is gone: each in a session of its own.
TEST_P(Children, F9_EndWithTheirKernelThoughItsShimDied) {
  KernelSpec asked = waiting_spec();
  asked.command = {"sh", "-c",
                   "setsid sh -c 'echo near $$ ; exec sleep 300' & "
                   "(setsid sh -c 'echo far $$ ; exec sleep 300' &) ; wait"};
  const KernelKey key = start(asked);
  const pid_t near = pid_said(key, "near "), far = pid_said(key, "far ");
  rig_->kill_shim(key);
  backend_->stop(key, 0);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
  EXPECT_FALSE(lives(near));
  EXPECT_FALSE(lives(far));
}

TEST_P(Children, F9_EndWithTheirKernelThoughItsShimDiedAndTheyHideWhoseTheyAre) {
  const KernelKey key = start(with_stranger());
  const pid_t stranger = pid_said(key, "stranger ");
  rig_->kill_shim(key);
  backend_->stop(key, 0);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
  await_gone(stranger);
}

TEST_P(Children, F9_OfAKernelThatLivesDoNotEndWithAnotherWhoseShimDiedToo) {
  const KernelKey first = start(with_stranger()), second = start(with_stranger());
  const pid_t of_first = pid_said(first, "stranger "), of_second = pid_said(second, "stranger ");
  rig_->kill_shim(first);
  rig_->kill_shim(second);
  backend_->stop(first, 0);
  await_end(first);
  EXPECT_TRUE(lives(of_second));
  backend_->stop(second, 0);
  await_end(second);
  await_gone(of_first);
  await_gone(of_second);
}

INSTANTIATE_TEST_SUITE_P(ByCgroup, Children, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));
INSTANTIATE_TEST_SUITE_P(ByMark, Children,
                         testing::Values(RigFactory([] { return std::make_unique<RigWithoutCgroups>(); })));

}  // namespace
}  // namespace berth::agents::contract
