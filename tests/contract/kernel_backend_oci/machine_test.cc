// A fault of the machine is told by its name when a start meets it, and is over when the machine is mended:
// nothing of it is remembered.
#include <sys/mount.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/kernel/host/programs.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"
#include "tests/contract/own_mounts.h"

namespace berth::agents::contract {
namespace {

namespace fs = std::filesystem;

std::string tested_runtime() {
  const char* asked = std::getenv("BERTH_TEST_RUNTIME");
  return asked == nullptr ? "runc" : asked;
}
// By a name that this test gives it, in a folder of the system where this test may put it.
const std::string kRuntime = "berth-test-" + tested_runtime();

class MachineRig final : public RealRig {
 public:
  MachineRig() : RealRig(BackendKind::kOci) {}
  std::string missing() override { return TestImage::get().why; }
  std::string rootfs() override { return TestImage::get().image.rootfs; }
  BackendConfig config() const override {
    BackendConfig config = RealRig::config();
    if (!runtime_.empty()) config.runtime = runtime_;
    return config;
  }
  void set_runtime(std::string runtime) { runtime_ = std::move(runtime); }

 private:
  std::string runtime_;  // empty: as any
};

class Machine : public KernelBackendContract {
 protected:
  void SetUp() override {
    if (geteuid() == 0) mounts_.emplace();  // before the backend's threads and launcher are made in it
    KernelBackendContract::SetUp();
  }
  void TearDown() override {
    KernelBackendContract::TearDown();
    backend_.reset();  // its threads share our mounts
    mounts_.reset();
  }
  MachineRig& real() { return static_cast<MachineRig&>(*rig_); }
  // A file system of this size and these inodes over a folder, in this test's mounts.
  static void mount_small(const std::string& folder, const std::string& options) {
    ASSERT_EQ(mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()), 0) << std::strerror(errno);
  }
  static void fill(const std::string& folder, std::uint64_t left) {
    const auto room = fs::space(folder);
    std::ofstream file(folder + "/filler");
    const std::string block(4096, 'x');
    for (std::uint64_t written = 0; written + left < room.available; written += block.size()) file << block;
    // A kernel that runs may take some of it meanwhile: then it is full all the same.
    if (!file.flush()) { ASSERT_EQ(left, 0u); }
  }
  void expect_start_fails(const std::string& code, const std::string& words) {
    const KernelEvent end = await_end(start(Program::kTrue));
    EXPECT_EQ(end.end, KernelEnd::kStartFailed);
    EXPECT_EQ(end.error.code, code);
    EXPECT_NE(end.error.message.find(words), std::string::npos) << end.error.message;
  }
  void expect_start_works() {
    const KernelEvent end = await_end(start(Program::kExit7));
    EXPECT_EQ(end.exit_code, 7) << to_string(end.error);
  }

 private:
  std::optional<OwnMounts> mounts_;
};

TEST_P(Machine, AFullDiskIsToldBeforeAStartBegins) {
  backend_.reset();
  mount_small(real().folder(), "size=64m");
  reopen();
  expect_start_works();
  fill(real().folder(), 2 << 20);
  expect_start_fails("disk-full", real().folder());
  fs::remove(real().folder() + "/filler");
  expect_start_works();
}

TEST_P(Machine, ADiskWithoutInodesIsToldToo) {
  backend_.reset();
  mount_small(real().folder(), "size=64m,nr_inodes=400");
  reopen();
  expect_start_works();
  std::vector<std::string> files;
  for (int n = 0; n < 400; ++n) {
    files.push_back(real().folder() + "/" + std::to_string(n));
    if (!std::ofstream(files.back()) || fs::space(real().folder()).available == 0) break;
  }
  expect_start_fails("disk-full", "inodes free");
  for (const std::string& file : files) fs::remove(file);
  expect_start_works();
}

TEST_P(Machine, AFullFastFolderIsToldToo) {
  backend_.reset();
  mount_small(real().fast(), "size=4m,mode=700");
  reopen();
  expect_start_works();
  fill(real().fast(), 64 << 10);
  expect_start_fails("disk-full", real().fast());
  fs::remove(real().fast() + "/filler");
  expect_start_works();
}

// The request to end is a file there.
TEST_P(Machine, P25_AnEndThatAFullFastFolderDoesNotTakeIsAskedForAgain) {
  backend_.reset();
  mount_small(real().fast(), "size=4m,mode=700");
  reopen();
  const KernelKey key = start(Program::kLong);
  await_running(key);
  fill(real().fast(), 0);
  backend_->stop(key, 0);
  expect_start_fails("disk-full", real().fast());  // the stop was tried before
  EXPECT_FALSE(find(key, KernelEvent::What::kEnded));
  fs::remove(real().fast() + "/filler");
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST_P(Machine, FoldersOfTheDataFolderThatAreRemovedAreMadeAgain) {
  expect_start_works();
  for (const char* name : {"/layers", "/logs"})
    fs::rename(real().folder() + name, real().folder() + name + ".gone");
  for (int i = 0;
       i < 5'000 && !(fs::exists(real().folder() + "/layers") && fs::exists(real().folder() + "/logs")); ++i)
    rig_->step(*backend_);
  expect_start_works();
}

TEST_P(Machine, ARuntimeThatIsNoProgramIsToldSo) {
  backend_.reset();
  const std::string path = real().folder() + "/runtime";
  std::ofstream(path) << "#!/bin/sh\nexit 3\n";
  fs::permissions(path, fs::perms::owner_all);
  real().set_runtime(path);
  reopen();
  expect_start_fails("runtime-failed", path + " gives no reason and exits with 3");
  fs::permissions(path, fs::perms::owner_read);
  expect_start_fails("runtime-missing", "cannot be run: it is not an executable file");
  fs::remove(path);
  fs::create_directory(path);
  expect_start_fails("runtime-missing", "cannot be run: it is not an executable file");
}

TEST_P(Machine, AFastFolderThatIsMovedAwayIsMadeAgain) {
  expect_start_works();
  fs::rename(real().fast(), real().fast() + ".gone");
  expect_start_works();
  fs::remove_all(real().fast() + ".gone");
}

TEST_P(Machine, ARuntimeThatWasMovedIsFoundAndOneThatIsGoneIsMissed) {
  backend_.reset();
  const std::string program = find_program(tested_runtime());
  const std::string first = "/usr/local/sbin", second = "/usr/local/bin";
  for (const std::string& folder : {first, second}) mount_small(folder, "size=64m,mode=755");
  fs::copy_file(program, first + "/" + kRuntime);
  real().set_runtime(kRuntime);
  reopen();
  expect_start_works();
  fs::copy_file(first + "/" + kRuntime, second + "/" + kRuntime);
  fs::remove(first + "/" + kRuntime);
  expect_start_works();
  fs::remove(second + "/" + kRuntime);
  expect_start_fails("runtime-missing", kRuntime);
  fs::copy_file(program, second + "/" + kRuntime);
  expect_start_works();
}

INSTANTIATE_TEST_SUITE_P(Oci, Machine,
                         testing::Values(RigFactory([] { return std::make_unique<MachineRig>(); })));

}  // namespace
}  // namespace berth::agents::contract
