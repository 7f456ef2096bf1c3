// How a process kernel's program is found and run, without the libc's own search: as a shell does it.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {
namespace {

class ProcessProgram : public KernelBackendContract {
 protected:
  std::string folder() { return static_cast<RealRig&>(*rig_).folder(); }
  std::string make_script(const std::string& name, mode_t mode) {
    const std::string path = folder() + "/" + name;
    EXPECT_EQ(chmod(folder().c_str(), 0711), 0);  // the kernels' user is another
    std::ofstream(path) << "echo \"$0 $1 $COLOUR\"; exit 9\n";
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  KernelSpec running(std::vector<std::string> command, const std::string& path) {
    KernelSpec spec = waiting_spec();
    spec.command = std::move(command);
    spec.env = {{"PATH", path}, {"COLOUR", "green"}};
    return spec;
  }
};

TEST_P(ProcessProgram, IsLookedForInTheKernelsOwnPath) {
  make_script("greet", 0755);
  const KernelEvent end = await_end(start(running({"greet", "you"}, "/nowhere:" + folder() + ":/bin")));
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 9);
}

TEST_P(ProcessProgram, IsRunByTheShellWhenItIsAScriptThatNamesNoInterpreter) {
  const std::string script = make_script("greet", 0755);
  const KernelKey key = start(running({script, "you"}, "/nowhere"));
  await_end(key);
  EXPECT_EQ(log(key), script + " you green\n");
}

TEST_P(ProcessProgram, EndsWith126AndSaysWhyWhenItMayNotBeRun) {
  const std::string script = make_script("secret", 0644);
  const KernelKey key = start(running({"secret"}, folder() + ":/nowhere"));
  EXPECT_EQ(await_end(key).exit_code, 126);
  EXPECT_EQ(log(key), "berth: cannot run 'secret': Permission denied\n");
}

TEST_P(ProcessProgram, EndsWith127AndSaysWhyWhenItIsNowhere) {
  const KernelKey key = start(running({"greet"}, "/nowhere"));
  EXPECT_EQ(await_end(key).exit_code, 127);
  EXPECT_EQ(log(key), "berth: cannot run 'greet': No such file or directory\n");
}

TEST_P(ProcessProgram, S3_IsNotStartedWhereItsGroupBoundsWhatItWrites) {
  KernelSpec bounded = spec(Program::kCount);
  bounded.disk = 1 << 30;
  const KernelEvent end = await_end(start(bounded));
  EXPECT_EQ(end.end, KernelEnd::kStartFailed);
  EXPECT_EQ(end.error.code, "disk-bound-unsupported");
}

// An amount of the slot is placed and shown; that nobody keeps a process to it is said of its agent.
TEST_P(ProcessProgram, StartsWithAnAmountOfDiskThatNobodyKeepsItTo) {
  KernelSpec asked = spec(Program::kTrue);
  asked.disk = asked.disk_slot = 1 << 30;
  EXPECT_EQ(await_end(start(asked)).end, KernelEnd::kExited);
  const auto capacity = backend_->disk_capacity();
  ASSERT_TRUE(capacity.ok());
  EXPECT_EQ(*capacity, static_cast<Amount>(std::filesystem::space(folder()).capacity));
}

TEST_P(ProcessProgram, IsNotStartedWithoutTheFoldersThatItWasToHave) {
  KernelSpec asked = spec(Program::kCount);
  asked.mounts = {{"/volume", std::string(32, 'a'), "data"}};
  const KernelEvent end = await_end(start(asked));
  EXPECT_EQ(end.end, KernelEnd::kStartFailed);
  EXPECT_EQ(end.error.code, "folder-not-mountable");
}

INSTANTIATE_TEST_SUITE_P(Process, ProcessProgram, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace
}  // namespace berth::agents::contract
