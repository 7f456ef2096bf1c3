// S3: a kernel writes as much as it was given, and nobody else has less for it.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "agents/kernel/disk_pool.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"
#include "tests/contract/own_mounts.h"

namespace berth::agents::contract {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

template <std::int64_t kBytes> class BoundedRig final : public RealRig {
 public:
  BoundedRig() : RealRig(BackendKind::kOci) {}
  std::string missing() override { return TestImage::get().why; }
  std::string rootfs() override { return TestImage::get().image.rootfs; }
  BackendConfig config() const override {
    BackendConfig config = RealRig::config();
    config.disk_per_kernel = kBytes;
    return config;
  }
};

class DiskBound : public KernelBackendContract {
 protected:
  std::string disk_of(const KernelKey& key) {
    return static_cast<RealRig&>(*rig_).folder() + "/disks/" + kernel_name(key) + ".img";
  }
  KernelSpec script(const std::string& text) {
    KernelSpec asked = waiting_spec();
    asked.command = {"sh", "-c", text};
    return asked;
  }
};

TEST_P(DiskBound, S3_AKernelCannotWriteBeyondItsBound) {
  const KernelKey key =
      start(script("dd if=/dev/zero of=fill bs=1M count=100 2>&1; rm fill; "
                   "echo again > fill && cat fill"));
  EXPECT_EQ(await_end(key).exit_code, 0);
  EXPECT_NE(log(key).find("No space left on device"), std::string::npos) << log(key);
  EXPECT_TRUE(log(key).ends_with("again\n")) << log(key);
}

TEST_P(DiskBound, S3_WhatLiesInTmpCountsInIt) {
  const KernelKey key =
      start(script("dd if=/dev/zero of=/tmp/fill bs=1M count=100 2>&1; stat -c %a:%u /tmp"));
  await_end(key);
  EXPECT_NE(log(key).find("No space left on device"), std::string::npos) << log(key);
  EXPECT_TRUE(log(key).ends_with("1777:0\n")) << log(key);
}

TEST_P(DiskBound, S3_ADiskIsThereAsLongAsItsKernelAndWholly) {
  const KernelKey key = start(script("echo ready; sleep 300"));
  await_log(key, "ready");
  struct stat disk {};
  ASSERT_EQ(stat(disk_of(key).c_str(), &disk), 0);
  EXPECT_EQ(disk.st_size, 32 * kMiB);
  EXPECT_GE(disk.st_blocks * 512, 32 * kMiB) << "another could take what was promised";
  rig_->kill_shim(key);
  backend_->stop(key, 0);
  await_end(key);
  for (int i = 0; i < 2000 && std::filesystem::exists(disk_of(key)); ++i) rig_->step(*backend_);
  EXPECT_FALSE(std::filesystem::exists(disk_of(key)));
}

TEST_P(DiskBound, S3_AKernelHasTheBoundOfItsOwnSpecBeforeTheAgents) {
  for (int i = 0; i < 2; ++i) {  // the first of its size, and one for which a spare was made
    KernelSpec asked = script("echo ready; sleep 300");
    asked.disk = 48 * kMiB;
    const KernelKey key = start(asked);
    await_log(key, "ready");
    EXPECT_EQ(std::filesystem::file_size(disk_of(key)), 48u * kMiB);
    backend_->stop(key, 0);
    await_end(key);
  }
}

TEST_P(DiskBound, S3_NoMountOfAKernelsDiskIsLeftInTheAgent) {
  await_end(start(script("true")));
  std::ifstream mounts("/proc/self/mountinfo");
  const std::string all{std::istreambuf_iterator<char>(mounts), {}};
  EXPECT_EQ(all.find(static_cast<RealRig&>(*rig_).folder()), std::string::npos) << all;
}

// What is free changes while others write: the figures need not be the same to the byte.
TEST_P(DiskBound, WhatKernelsMayWriteTogetherCountsWhatTheyHaveAlready) {
  const auto before = backend_->disk_capacity();
  ASSERT_TRUE(before.ok()) << to_string(before.error());
  EXPECT_EQ(*before % kMiB, 0);
  const auto free =
      static_cast<Amount>(std::filesystem::space(static_cast<RealRig&>(*rig_).folder()).available);
  EXPECT_LT(*before, free);
  EXPECT_GT(*before, free / 2);
  KernelSpec asked = script("echo ready; sleep 300");
  asked.disk = asked.disk_slot = 2048 * kMiB;
  const KernelKey key = start(asked);
  await_log(key, "ready");
  const auto beside = backend_->disk_capacity();
  ASSERT_TRUE(beside.ok()) << to_string(beside.error());
  EXPECT_LT(std::abs(*beside - *before), 1024 * kMiB)
      << "what the kernel took is taken of it, not away from it";
  for (const auto& entry :
       std::filesystem::directory_iterator(static_cast<RealRig&>(*rig_).folder() + "/disks"))
    EXPECT_FALSE(entry.is_regular_file() && entry.file_size() == 16u * kMiB)
        << "the probe is left: " << entry.path();
  backend_->stop(key, 0);
  await_end(key);
}

// As ZFS does: fallocate() succeeds, and takes nothing.
void take_fallocate_away() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(code), code};
  EXPECT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

TEST_P(DiskBound, NoDiskIsOfferedWhereNothingIsKeptForAFile) {
  std::thread([&] {
    take_fallocate_away();
    const auto capacity = backend_->disk_capacity();
    ASSERT_FALSE(capacity.ok());
    EXPECT_EQ(capacity.error().code, "disk-not-kept");
  }).join();
  EXPECT_TRUE(backend_->disk_capacity().ok());
}

TEST_P(DiskBound, NoDiskIsOfferedOnBtrfs) {
  if (system("command -v mkfs.btrfs >/dev/null") != 0) GTEST_SKIP() << "btrfs-progs is not installed";
  const std::string folder = static_cast<RealRig&>(*rig_).folder(), image = folder + "/btrfs.img",
                    at = folder + "/at";
  const OwnMounts own;
  std::filesystem::create_directory(at);
  if (system(("truncate -s 256M " + image + " && mkfs.btrfs -q " + image +
              " >/dev/null 2>&1 && mount -o loop " + image + " " + at + " 2>/dev/null")
                 .c_str()) != 0)
    GTEST_SKIP() << "this machine mounts no btrfs";
  {
    const auto pool = DiskPool::open({at + "/disks", 0, BackendConfig().id_base, 0});
    ASSERT_TRUE(pool.ok()) << to_string(pool.error());
    EXPECT_EQ((*pool)->capacity().error().code, "disk-not-kept");
  }
  EXPECT_EQ(umount2(at.c_str(), MNT_DETACH), 0);
}

INSTANTIATE_TEST_SUITE_P(Oci, DiskBound, testing::Values(RigFactory([] {
                           return std::make_unique<BoundedRig<32 * kMiB>>();
                         })));

class NoRoom : public DiskBound {};

TEST_P(NoRoom, S3_AnAgentTakesNoKernelWhoseBoundItsDiskCannotKeep) {
  const KernelKey key = start(script("true"));
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kStartFailed);
  EXPECT_EQ(end.error.code, "disk-full");
}

// A file of 1 TiB, with holes: no free space of a machine that tests run on.
INSTANTIATE_TEST_SUITE_P(Oci, NoRoom, testing::Values(RigFactory([] {
                           return std::make_unique<BoundedRig<1ll << 40>>();
                         })));

}  // namespace
}  // namespace berth::agents::contract
