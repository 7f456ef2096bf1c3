// S3: what stays of ended kernels.
#include "agents/kernel/sweep.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "agents/kernel/shim/remove_tree.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInMemory = "/dev/shm";  // thousands of names take seconds on a busy disk

// Folders in folders, beyond what a path can name.
void make_deep(const std::string& path, int depth) {
  fs::create_directory(path);
  int at = open(path.c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < depth; ++i) {
    ASSERT_EQ(mkdirat(at, "deeper", 0755), 0) << i;
    const int file = openat(at, "file", O_CREAT | O_WRONLY, 0600);
    const int next = openat(at, "deeper", O_RDONLY | O_DIRECTORY);
    close(file);
    close(at);
    at = next;
  }
  close(at);
}

TEST(RemoveTree, S3_ATreeOfThreeThousandFoldersInEachOtherIsRemoved) {
  const TempFolder temp(kInMemory);
  const std::string tree = temp.path + "/tree";
  make_deep(tree, 3000);
  EXPECT_TRUE(shim::remove_tree(tree));
  EXPECT_FALSE(fs::exists(tree));
}

TEST(RemoveTree, ManyFilesAndNamesLikeItsOwnAreRemoved) {
  const TempFolder temp(kInMemory);
  const std::string tree = temp.path + "/tree";
  fs::create_directories(tree + "/a/.moved-0/x");
  fs::create_directories(tree + "/a/b/.moved-1/y");
  std::ofstream(tree + "/.moved-1") << "a file";
  for (int i = 0; i < 5000; ++i) std::ofstream(tree + "/a/" + std::to_string(i));
  EXPECT_TRUE(shim::remove_tree(tree));
  EXPECT_FALSE(fs::exists(tree));
}

TEST(RemoveTree, LinksAreRemovedAndNotFollowed) {
  const TempFolder temp;
  fs::create_directories(temp.path + "/tree/in");
  fs::create_directories(temp.path + "/other");
  std::ofstream(temp.path + "/other/kept") << "kept";
  fs::create_symlink(temp.path + "/other", temp.path + "/tree/in/link");
  fs::create_symlink(temp.path + "/other", temp.path + "/link");
  EXPECT_TRUE(shim::remove_tree(temp.path + "/tree"));
  EXPECT_TRUE(shim::remove_tree(temp.path + "/link"));
  EXPECT_TRUE(shim::remove_tree(temp.path + "/nothing"));
  EXPECT_TRUE(fs::exists(temp.path + "/other/kept"));
}

class Sweep : public testing::Test {
 protected:
  Sweep() {
    for (const char* name : {"layers", "logs", "kernels", "run"})
      fs::create_directories(temp.path + "/" + name);
  }
  std::string make(const std::string& what) {
    std::ofstream(temp.path + "/" + what) << "x";
    return temp.path + "/" + what;
  }
  void run(Timestamp logs_before) { sweep({temp.path, temp.path}, logs_before, stop); }

  static constexpr const char* kOld = "00000000-0000-4000-8000-000000000001.1";
  static constexpr const char* kLive = "00000000-0000-4000-8000-000000000002.1";
  static constexpr Timestamp kNever = 0, kAfterAll = INT64_MAX;
  std::atomic<bool> stop = false;
  TempFolder temp;
};

TEST_F(Sweep, S3_LayersOfKernelsThatAreGoneAreRemovedAndNoOthers) {
  make_deep(temp.path + "/layers/" + kOld, 10);
  fs::create_directories(temp.path + "/layers/" + kLive);
  fs::create_directories(temp.path + "/kernels/" + kLive);
  const std::string foreign = make("layers/notes");
  run(kNever);
  EXPECT_FALSE(fs::exists(temp.path + "/layers/" + kOld));
  EXPECT_TRUE(fs::exists(temp.path + "/layers/" + kLive));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(Sweep, S3_LogsGoByAgeAndNotWhileTheirKernelIsKnown) {
  const std::string old = make(std::string("logs/") + kOld + ".log.0");
  const std::string live = make(std::string("logs/") + kLive + ".log.3");
  make(std::string("run/") + kLive + ".exit");
  run(kNever);
  EXPECT_TRUE(fs::exists(old));
  run(kAfterAll);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(live));
}

}  // namespace
}  // namespace berth::agents
