// What ends with a kernel: which files are counted, which are named, and what holds no walk up.
#include "agents/init/loss_scan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "agents/kernel/shim/remove_tree.h"
#include "events/base/files/descriptor.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::init {
namespace {

namespace fs = std::filesystem;

std::int64_t changed_at(const fs::path& path) {
  struct stat about {};
  EXPECT_EQ(lstat(path.c_str(), &about), 0) << path;
  return about.st_ctim.tv_sec * std::int64_t{1'000'000'000} + about.st_ctim.tv_nsec;
}

void write(const fs::path& path, const std::string& bytes = "x") {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// A root with a home, in which everything is of the kernel unless `age()` made it the image's.
class LossScan : public ::testing::Test {
 protected:
  LossScan() { fs::create_directories(home()); }
  fs::path root() const { return folder_.path; }
  fs::path home() const { return root() / "home/work"; }
  // What is there is the image's from now on. The file system's clock may stand still for a while.
  void age() {
    const fs::path mark = root() / "mark";
    write(mark);
    ground_.since = changed_at(mark) + 1;
    while (changed_at(mark) < ground_.since) fs::permissions(mark, fs::perms::owner_read);
    fs::remove(mark);
  }
  Losses scan(const LossLimits& limits = {}) {
    ground_.root = root().string();
    ground_.first = {home().string()};
    return find_losses(ground_, limits);
  }
  // The paths that are named, below the root.
  std::vector<std::string> named(const LossLimits& limits = {}) {
    std::vector<std::string> paths;
    for (const auto& entry : scan(limits).named) paths.push_back(entry.path.substr(folder_.path.size()));
    return paths;
  }

  agents::TempFolder folder_;
  LossGround ground_;
};

using Paths = std::vector<std::string>;

TEST_F(LossScan, CountsWhatWasMadeOrChangedSinceTheStart) {
  write(root() / "etc/of-image", "image");
  write(root() / "etc/chmodded", "image");
  write(root() / "etc/written", "image");
  age();
  write(home() / "a.ipynb", "12345");
  write(root() / "etc/written", "123");
  fs::permissions(root() / "etc/chmodded", fs::perms::owner_read);
  const Losses found = scan();
  EXPECT_EQ(found.sum.files, 3u);
  EXPECT_EQ(found.sum.bytes, 5u + 3u + 5u);
  EXPECT_TRUE(found.sum.complete);
}

TEST_F(LossScan, ATimeThatAProgramSetsHidesNothing) {
  age();
  write(home() / "old");
  const timespec long_ago[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (home() / "old").c_str(), long_ago, 0), 0);
  EXPECT_EQ(named(), Paths{"/home/work/old"});
}

TEST_F(LossScan, NamesTheHomesFirstThenTheNewestAndAtMostTwenty) {
  write(root() / "opt/elsewhere");
  write(home() / ".cache/hidden");
  write(home() / "older");
  const std::int64_t older = changed_at(home() / "older");
  do write(home() / "sub/newer");
  while (changed_at(home() / "sub/newer") == older);
  EXPECT_EQ(named(), (Paths{"/home/work/sub/newer", "/home/work/older", "/home/work/.cache/hidden",
                            "/opt/elsewhere"}));
  for (int i = 0; i < 30; ++i) write(home() / ("many-" + std::to_string(i)));
  const Losses found = scan();
  EXPECT_EQ(found.sum.files, 34u);
  ASSERT_EQ(found.named.size(), inside::kLossesNamedMax);
  for (const auto& entry : found.named) {
    EXPECT_TRUE(entry.path.starts_with(home().string())) << entry.path;
    EXPECT_EQ(entry.bytes, 1u);
  }
}

TEST_F(LossScan, FollowsNoLinkAndWaitsForNothing) {
  agents::TempFolder outside;
  write(fs::path(outside.path) / "other", "other");
  fs::create_directory_symlink(outside.path, home() / "folder");
  fs::create_symlink(outside.path + "/other", home() / "file");
  fs::create_directory_symlink("..", home() / "loop");
  fs::create_symlink("/no/such", home() / "nowhere");
  ASSERT_EQ(mkfifo((home() / "fifo").c_str(), 0600), 0);
  write(home() / "own");
  EXPECT_EQ(named(), Paths{"/home/work/own"});
  EXPECT_TRUE(scan().sum.complete);
}

TEST_F(LossScan, AHomeThatIsALinkIsWalkedOnce) {
  fs::remove(home());
  write(root() / "data/own");
  fs::create_directory_symlink(root() / "data", home());
  const Losses found = scan();
  EXPECT_EQ(found.sum.files, 1u);
  ASSERT_EQ(found.named.size(), 1u);
  EXPECT_EQ(found.named[0].path, (home() / "own").string());
}

TEST_F(LossScan, CountsAFileOfManyNamesOnce) {
  write(home() / "one", "12345");
  for (int i = 0; i < 5; ++i) fs::create_hard_link(home() / "one", home() / ("name-" + std::to_string(i)));
  const Losses found = scan();
  EXPECT_EQ(found.sum.files, 1u);
  EXPECT_EQ(found.sum.bytes, 5u);
  EXPECT_TRUE(found.sum.complete);
  LossLimits none;
  none.links = 0;
  EXPECT_EQ(scan(none).sum.files, 0u);
  EXPECT_FALSE(scan(none).sum.complete);
}

TEST_F(LossScan, TakesNamesOfAnyBytesAndOfAnyLength) {
  write(home() / "\xff\xfe");
  write(home() / "a\nb");
  fs::path deep = home();
  for (int i = 0; i < 6; ++i) deep /= std::string(200, 'd');
  write(deep / "far");
  const Losses found = scan();
  EXPECT_EQ(found.sum.files, 3u);
  EXPECT_TRUE(found.sum.complete);
  const auto paths = named();
  EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()),
            (std::set<std::string>{"/home/work/\xff\xfe", "/home/work/a\nb"}))
      << "what is too long for an answer is counted, and not named";
}

TEST_F(LossScan, AFileWithHolesHasTheBytesThatItTakesOfTheDisk) {
  write(home() / "sparse", "");
  ASSERT_EQ(truncate((home() / "sparse").c_str(), std::int64_t{1} << 40), 0);
  const Losses found = scan();
  EXPECT_EQ(found.sum.files, 1u);
  EXPECT_LT(found.sum.bytes, 1u << 20);
}

TEST_F(LossScan, IsCutShortByEachOfItsLimits) {
  for (int i = 0; i < 10; ++i) write(home() / std::to_string(i));
  LossLimits few;
  few.entries = 5;
  EXPECT_EQ(scan(few).sum.files, 5u);
  EXPECT_FALSE(scan(few).sum.complete);
  LossLimits no_time;
  no_time.time = -1;
  EXPECT_EQ(scan(no_time).sum.files, 0u);
  EXPECT_FALSE(scan(no_time).sum.complete);
  write(home() / "a/b/c/deep");
  LossLimits shallow;
  shallow.depth = 3;  // the home, a, b
  const Losses found = scan(shallow);
  EXPECT_EQ(found.sum.files, 10u);
  EXPECT_FALSE(found.sum.complete);
}

TEST_F(LossScan, AHomeIsSeenWhereTheRestIsCutOff) {
  for (int i = 0; i < 50; ++i) write(root() / "a" / std::to_string(i));
  write(home() / "own");
  LossLimits few;
  few.entries = 10;
  EXPECT_EQ(named(few).front(), "/home/work/own");
}

TEST_F(LossScan, ATreeThatIsTooDeepEndsTheWalkOfItAlone) {
  write(home() / "own");
  Descriptor folder(open(home().c_str(), O_RDONLY | O_DIRECTORY));
  for (int i = 0; i < 600; ++i) {
    ASSERT_EQ(mkdirat(folder.get(), "d", 0700), 0);
    folder = Descriptor(openat(folder.get(), "d", O_RDONLY | O_DIRECTORY));
  }
  const Losses found = scan();
  EXPECT_EQ(found.sum.files, 1u);
  EXPECT_FALSE(found.sum.complete);
  EXPECT_TRUE(agents::shim::remove_tree(home() / "d"));
}

TEST_F(LossScan, EndsWhileAllIsMovedAroundUnderIt) {
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 50; ++j) write(home() / std::to_string(i) / std::to_string(j));
  std::atomic<bool> over = false;
  std::thread mover([&] {
    for (int i = 0; !over; i = (i + 1) % 20) {
      const fs::path one = home() / std::to_string(i), other = home() / std::to_string((i + 1) % 20);
      std::error_code error;
      fs::rename(one, other / "moved", error);
      fs::rename(other / "moved", one, error);
      fs::rename(one / "7", one / "new", error);
      fs::remove(one / "new", error);
      write(one / "7");
    }
  });
  for (int i = 0; i < 50; ++i) {
    const Losses found = scan();
    EXPECT_LE(found.sum.files, 5'000u);
    EXPECT_LE(found.named.size(), inside::kLossesNamedMax);
  }
  over = true;
  mover.join();
}

// In a thread with mounts of its own.
template <class Work> void with_own_mounts(Work work) {
  std::thread([&] {
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    work();
  }).join();
}

TEST_F(LossScan, GoesIntoNoOtherMountAlsoOfTheSameFileSystem) {
  if (geteuid() != 0) GTEST_SKIP() << "mounts need root";
  agents::TempFolder volume;
  write(fs::path(volume.path) / "kept", "kept");
  write(home() / "own");
  write(home() / "hosts");
  fs::create_directories(home() / "data");
  fs::create_directories(home() / "memory");
  with_own_mounts([&] {
    ASSERT_EQ(mount(volume.path.c_str(), (home() / "data").c_str(), nullptr, MS_BIND, nullptr), 0);
    ASSERT_EQ(mount("none", (home() / "memory").c_str(), "tmpfs", 0, nullptr), 0);
    write(home() / "memory/also", "also");
    const std::string kept = volume.path + "/kept";
    ASSERT_EQ(mount(kept.c_str(), (home() / "hosts").c_str(), nullptr, MS_BIND, nullptr), 0);
    EXPECT_EQ(named(), Paths{"/home/work/own"});
    EXPECT_TRUE(scan().sum.complete);
    ASSERT_EQ(mount(volume.path.c_str(), home().c_str(), nullptr, MS_BIND, nullptr), 0);
    EXPECT_EQ(named(), Paths{}) << "a home that is itself a folder of a volume";
  });
}

// The raw call changes the calling thread alone.
template <class Work> void as_user(Work work) {
  std::thread([&] {
    ASSERT_EQ(syscall(SYS_setresuid, 1000, 1000, 1000), 0);
    work();
  }).join();
}

TEST_F(LossScan, WhatCannotBeReadMattersIfItWasChanged) {
  if (geteuid() != 0) GTEST_SKIP() << "another user needs root";
  fs::permissions(root(), fs::perms::all);
  write(root() / "root/of-image");
  fs::permissions(root() / "root", fs::perms::none);
  age();
  write(root() / "tmp/own");
  as_user([&] {
    const Losses found = scan();
    EXPECT_EQ(found.sum.files, 1u);
    EXPECT_TRUE(found.sum.complete) << "nobody has written into it";
  });
  write(root() / "root/new");
  as_user([&] { EXPECT_FALSE(scan().sum.complete); });
}

TEST_F(LossScan, ARootThatIsNotThereIsNotComplete) {
  ground_.root = root() / "none";
  EXPECT_FALSE(find_losses(ground_).sum.complete);
}

}  // namespace
}  // namespace berth::init
