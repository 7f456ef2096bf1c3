#include "events/base/files/known_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/temp_dir.h"

namespace berth {
namespace {

class KnownFolders : public ::testing::Test {
 protected:
  std::string code(const std::string& id) {
    const auto checked = check_known_folder(folder_, id);
    return checked.ok() ? "" : checked.error().code.word();
  }
  const testing::TempDir temp_;
  KnownFolder folder_{temp_.path().string() + "/known/record", "/srv/my data", "cluster"};
};

TEST_F(KnownFolders, OneThatIsNotKnownMayHoldAnything) {
  EXPECT_EQ(code(""), "");
  EXPECT_EQ(code("1234"), "");
}

TEST_F(KnownFolders, OneThatIsEmptyOrHoldsAnotherIsRefusedWithWhatToDo) {
  ASSERT_FALSE(remember_folder(folder_, "1234"));
  EXPECT_EQ(code("1234"), "");
  EXPECT_EQ(code(""), "known-folder-empty");
  EXPECT_EQ(code("5678"), "known-folder-other");
  const Error error = check_known_folder(folder_, "").error();
  EXPECT_NE(error.message.find("/srv/my data held cluster 1234"), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find("rm " + folder_.record), std::string::npos) << error.hint;
  std::filesystem::remove(folder_.record);
  EXPECT_EQ(code("5678"), "");
}

TEST_F(KnownFolders, AnotherPathIsAnotherFolder) {
  ASSERT_FALSE(remember_folder(folder_, "1234"));
  folder_.path = "/srv/moved";
  EXPECT_EQ(code(""), "");
  ASSERT_FALSE(remember_folder(folder_, "5678"));
  EXPECT_EQ(code(""), "known-folder-empty");
}

TEST_F(KnownFolders, WhatIsOnTheRootDiskOrGoneAfterARestartNeedsNoRecord) {
  EXPECT_FALSE(is_on_its_own_disk("/"));
  EXPECT_FALSE(is_on_its_own_disk("/no/such/folder"));
  EXPECT_FALSE(is_on_its_own_disk("/dev/shm/berth"));
  EXPECT_TRUE(is_on_its_own_disk("/proc/sys"));
}

TEST_F(KnownFolders, AServiceRemembersItsFolderOnWhateverDisk) {
  EXPECT_FALSE(is_worth_remembering("/", false));
  EXPECT_TRUE(is_worth_remembering("/", true));
  EXPECT_TRUE(is_worth_remembering("/proc/sys", false));
}

TEST(RecordOfACluster, IsAnotherThanThatOfAnAgent) {
  EXPECT_EQ(record_of_agent("/srv/a"), record_of_cluster("/srv/a") + "-agent");
}

TEST(RecordOfACluster, LiesWhereAServiceMayWrite) {
  const bool is_root = geteuid() == 0;
  if (is_root) {
    EXPECT_TRUE(record_of_cluster("/srv/a").starts_with("/var/lib/berth-known/"));
    ASSERT_EQ(seteuid(65534), 0);
  }
  ::setenv("XDG_STATE_HOME", "/srv/state", 1);
  EXPECT_TRUE(record_of_cluster("/srv/a").starts_with("/srv/state/berth-known/"));
  ::setenv("XDG_STATE_HOME", "not/absolute", 1);
  EXPECT_FALSE(record_of_cluster("/srv/a").starts_with("not/absolute"));
  ::unsetenv("XDG_STATE_HOME");
  if (is_root) { ASSERT_EQ(seteuid(0), 0); }
}

}  // namespace
}  // namespace berth
