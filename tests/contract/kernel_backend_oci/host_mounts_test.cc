// Mounts of the host, of shims and of kernels: none holds another's, whatever the host mounts how.
#include <sys/mount.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "agents/volumes/disk_owner.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"
#include "tests/contract/own_mounts.h"

namespace berth::agents::contract {
namespace {

namespace fs = std::filesystem;

// A host whose mounts are shared, as systemd makes them: a mount namespace of the test's own.
class HostMounts : public KernelBackendContract {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    (void)TestImage::get();  // unpacked where it stays
    own_.emplace();
    change_host();
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr), 0);
    KernelBackendContract::SetUp();
  }
  void TearDown() override {
    KernelBackendContract::TearDown();
    backend_.reset();
    rig_.reset();
    own_.reset();
    std::error_code error;
    for (const std::string& folder : temporary_) fs::remove_all(folder, error);
  }
  virtual void change_host() {}

  std::string make_temporary(std::string path) {
    EXPECT_NE(mkdtemp(path.data()), nullptr) << path;
    return temporary_.emplace_back(std::move(path));
  }
  static void mount_tmpfs(const std::string& at) {
    fs::create_directory(at);
    ASSERT_EQ(mount("tmpfs", at.c_str(), "tmpfs", 0, nullptr), 0) << at;
  }
  static std::string mounts_of(const std::string& process) {
    return shim::read_file("/proc/" + process + "/mountinfo").value_or("");
  }
  // Processes of the machine that see a mount there.
  static std::size_t seers_of(const std::string& place) {
    std::size_t seen = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error))
      seen += mounts_of(entry.path().filename()).find(place) != std::string::npos ? 1 : 0;
    return seen;
  }
  KernelKey start_script(const std::string& text, std::vector<FolderMount> mounts = {}) {
    KernelSpec asked = waiting_spec();
    asked.command = {"sh", "-c", "exec 2>&1; cd /home/work; " + text};
    asked.mounts = std::move(mounts);
    return start(asked);
  }
  // A folder of a volume that lies in `volume`, as the agent makes it.
  static FolderMount folder_in(const std::string& volume) {
    const std::string name(32, 'a'), path = volume + "/folders/" + name;
    fs::create_directories(path);
    EXPECT_EQ(chown(path.c_str(), kFolderUid, kFolderUid), 0);
    EXPECT_EQ(chmod(path.c_str(), 0770), 0);
    return {volume, name, "data"};
  }

  std::optional<OwnMounts> own_;
  std::vector<std::string> temporary_;
};

TEST_P(HostMounts, ADiskThatTheHostUnmountsIsHeldByNoShim) {
  const std::string place = make_temporary("/tmp/berth-host-XXXXXX");
  mount_tmpfs(place + "/disk");
  const KernelKey key = start_script("echo ready; sleep 300");
  await_log(key, "ready");
  mount_tmpfs(place + "/later");
  EXPECT_EQ(umount2((place + "/disk").c_str(), 0), 0) << std::strerror(errno);
  EXPECT_EQ(umount2((place + "/later").c_str(), 0), 0) << std::strerror(errno);
  EXPECT_EQ(seers_of(place), 0u);
  rig_->kill_shim(key);
  backend_->stop(key, 0);
  await_end(key);
}

TEST_P(HostMounts, NoMountOfAShimOrAKernelIsTheHosts) {
  const std::string before = mounts_of("thread-self");
  const std::string volume = make_temporary("/tmp/berth-host-XXXXXX");
  const KernelKey key = start_script("echo ready; sleep 300", {folder_in(volume)});
  await_log(key, "ready");
  EXPECT_EQ(mounts_of("thread-self"), before);
  backend_->stop(key, 0);
  await_end(key);
  EXPECT_EQ(mounts_of("thread-self"), before);
}

TEST_P(HostMounts, WhatTheHostMountsInAVolumeLaterIsInNoKernel) {
  const std::string volume = make_temporary("/tmp/berth-host-XXXXXX");
  const FolderMount data = folder_in(volume);
  const std::string inner = volume + "/folders/" + data.folder + "/inner";
  fs::create_directory(inner);
  const KernelKey key = start_script(
      "echo ready; while ! [ -e data/go ]; do sleep 0.05; done; ls data/inner; echo seen", {data});
  await_log(key, "ready");
  mount_tmpfs(inner);
  std::ofstream(inner + "/secret") << "x";
  std::ofstream(volume + "/folders/" + data.folder + "/go") << "x";
  await_end(key);
  EXPECT_EQ(log(key), "ready\nseen\n");
  EXPECT_EQ(umount2(inner.c_str(), 0), 0) << std::strerror(errno);
}

INSTANTIATE_TEST_SUITE_P(Oci, HostMounts,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); })));

// As hardened machines mount them.
class NothingRuns : public HostMounts {
 protected:
  void change_host() override {
    for (const char* folder : {"/tmp", "/run", "/var"}) {
      ASSERT_EQ(mount(folder, folder, nullptr, MS_BIND | MS_REC, nullptr), 0) << folder;
      ASSERT_EQ(
          mount(nullptr, folder, nullptr, MS_REMOUNT | MS_BIND | MS_NOEXEC | MS_NOSUID | MS_NODEV, nullptr),
          0)
          << folder;
    }
  }
};

TEST_P(NothingRuns, KernelsRunWhereTmpRunAndVarAreNoexec) {
  const KernelKey key =
      start_script("cp /bin/true own && ./own && echo ran; cp /bin/true /tmp/own && /tmp/own && echo ran");
  EXPECT_EQ(await_end(key).exit_code, 0) << log(key);
  EXPECT_EQ(log(key), "ran\nran\n");
}

// Else no compiled module of a virtual environment is loaded.
TEST_P(NothingRuns, ProgramsInAFolderOfAVolumeRunThoughTheHostsFileSystemIsNoexec) {
  const std::string volume = make_temporary("/var/tmp/berth-host-XXXXXX");
  const KernelKey key = start_script(
      "cp /bin/true data/own && data/own && echo ran; "
      "while read a b c d point options rest; do [ $point = /home/work/data ] && echo $options; done "
      "</proc/self/mountinfo",
      {folder_in(volume)});
  await_end(key);
  EXPECT_TRUE(log(key).starts_with("ran\nrw,nosuid,nodev")) << log(key);
  EXPECT_EQ(log(key).find("noexec"), std::string::npos) << log(key);
}

INSTANTIATE_TEST_SUITE_P(Oci, NothingRuns,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); })));

}  // namespace
}  // namespace berth::agents::contract
