// S4: a user's program never has the agent's rights.
#include <sys/stat.h>

#include <filesystem>

#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {
namespace {

class ProcessRights : public KernelBackendContract {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root has rights to give up";
    KernelBackendContract::SetUp();
  }
  std::string refusal(std::optional<ProcessUser> user) {
    BackendConfig config = static_cast<RealRig&>(*rig_).config();
    config.process_user = user;
    const auto opened = open_backend(config);
    return opened.ok() ? "opened" : opened.error().code.word();
  }
  // Starts the kernel by a backend of this configuration, and stops it once it runs.
  KernelKey restart_with(const BackendConfig& config, KernelSpec spec) {
    backend_.reset();
    auto opened = open_backend(config);
    BERTH_CHECK(opened.ok(), "the folder is free");
    backend_ = std::move(*opened);
    EXPECT_TRUE(backend_->recover([this](const KernelEvent& event) { take(event); }).ok());
    const KernelKey key = start(std::move(spec));
    await_running(key);
    backend_->stop(key, 10 * kSecond);
    return key;
  }
};

TEST_P(ProcessRights, S4_RootHasToNameAUserForKernelsAndItIsNotRoot) {
  EXPECT_EQ(refusal(std::nullopt), "process-uid-missing");
  EXPECT_EQ(refusal(ProcessUser{0, kNobody}), "process-uid-wrong");
  EXPECT_EQ(refusal(ProcessUser{kNobody, 0}), "process-uid-wrong");
}

TEST_P(ProcessRights, S4_AKernelHasNoGroupsNoCapabilitiesAndGetsNone) {
  KernelSpec asked = waiting_spec();
  asked.command = {"grep", "-E", "^(Uid|Gid|Groups|Cap...|NoNewPrivs):", "/proc/self/status"};
  const KernelKey key = start(asked);
  await_end(key);
  EXPECT_EQ(log(key),
            "Uid:\t65534\t65534\t65534\t65534\n"
            "Gid:\t65534\t65534\t65534\t65534\n"
            "Groups:\t \n"
            "CapInh:\t0000000000000000\n"
            "CapPrm:\t0000000000000000\n"
            "CapEff:\t0000000000000000\n"
            "CapBnd:\t0000000000000000\n"
            "CapAmb:\t0000000000000000\n"
            "NoNewPrivs:\t1\n");
}

TEST_P(ProcessRights, S4_AKernelReachesNothingOfTheAgentButItsOwnFolder) {
  const auto& rig = static_cast<RealRig&>(*rig_);
  KernelSpec asked = waiting_spec();
  asked.command = {"sh", "-c",
                   "touch mine && echo made; cat " + rig.folder() + "/claims " + rig.fast() +
                       "/run/* 2>/dev/null && echo read; kill -9 $PPID 2>/dev/null && echo killed; exit 0"};
  const KernelKey key = start(asked);
  EXPECT_EQ(await_end(key).exit_code, 0);
  EXPECT_EQ(log(key), "made\n");
}

// As where root runs Berth from a clone in its home.
TEST_P(ProcessRights, AKernelWithoutACommandWaitsThoughItsUserCannotReachOurPrograms) {
  BackendConfig config = static_cast<RealRig&>(*rig_).config();
  const std::string closed = static_cast<RealRig&>(*rig_).folder() + "/closed";
  ASSERT_EQ(mkdir(closed.c_str(), 0700), 0);
  std::filesystem::copy(config.init_path, closed + "/berth-init");
  config.init_path = closed + "/berth-init";
  const KernelKey key = restart_with(config, waiting_spec());
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

INSTANTIATE_TEST_SUITE_P(Process, ProcessRights, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace
}  // namespace berth::agents::contract
