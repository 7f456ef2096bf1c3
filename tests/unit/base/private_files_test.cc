#include "events/base/files/private_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

class PrivateFiles : public ::testing::Test {
 protected:
  static unsigned mode(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 0777;
  }
  void make_folder(const std::string& path, mode_t mode) {
    ASSERT_EQ(::mkdir(path.c_str(), mode), 0);
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
  static std::string code(const Result<void>& result) {
    return result.ok() ? "" : result.error().code.word();
  }

  const testing::TempDir temp_;
  const std::string folder_ = temp_.path().string();
};

TEST_F(PrivateFiles, AFolderIsMadeForItsUserAlone) {
  ASSERT_TRUE(make_private_folder(folder_ + "/a/b/").ok());
  EXPECT_EQ(mode(folder_ + "/a/b"), 0700u);
}

TEST_F(PrivateFiles, AFolderBelowOneOfAnotherUserIsWarnedOf) {
  if (::geteuid() != 0) GTEST_SKIP() << "gives a folder to another user";
  make_folder(folder_ + "/theirs", 0755);
  make_folder(folder_ + "/theirs/ours", 0700);
  EXPECT_EQ(foreign_folder_above(folder_ + "/theirs/ours"), std::nullopt);
  ASSERT_EQ(::chown((folder_ + "/theirs").c_str(), 12'345, 12'345), 0);
  const auto told = foreign_folder_above(folder_ + "/theirs/ours");
  ASSERT_TRUE(told.has_value());
  EXPECT_NE(told->find(folder_ + "/theirs, above"), std::string::npos) << *told;
  EXPECT_NE(told->find("12345"), std::string::npos) << *told;
}

TEST_F(PrivateFiles, AnEmptyFolderAndAnOldDataFolderAreClosedToOthers) {
  make_folder(folder_ + "/empty", 0777);
  make_folder(folder_ + "/old", 0755);
  std::ofstream(folder_ + "/old/berth.lock") << "{}";
  EXPECT_EQ(code(make_private_folder(folder_ + "/empty")), "");
  EXPECT_EQ(code(make_private_folder(folder_ + "/old")), "");
  EXPECT_EQ(mode(folder_ + "/empty"), 0700u);
  EXPECT_EQ(mode(folder_ + "/old"), 0700u);
}

TEST_F(PrivateFiles, ADiskThatWasJustMountedIsClosedToOthers) {
  make_folder(folder_ + "/disk", 0755);
  make_folder(folder_ + "/disk/lost+found", 0700);
  EXPECT_EQ(code(make_private_folder(folder_ + "/disk")), "");
  EXPECT_EQ(mode(folder_ + "/disk"), 0700u);
}

TEST_F(PrivateFiles, AFolderOfSomethingElseIsNotChanged) {
  make_folder(folder_ + "/etc", 0755);
  std::ofstream(folder_ + "/etc/passwd") << "key-file";
  EXPECT_EQ(code(make_private_folder(folder_ + "/etc")), "data-folder");
  EXPECT_EQ(mode(folder_ + "/etc"), 0755u);
}

TEST_F(PrivateFiles, AFolderWithinADataFolderIsClosedWhateverIsInIt) {
  make_folder(folder_ + "/state", 0755);
  std::ofstream(folder_ + "/state/CURRENT") << "key-file";
  EXPECT_EQ(code(make_private_subfolder(folder_ + "/state")), "");
  EXPECT_EQ(mode(folder_ + "/state"), 0700u);
  fs::create_symlink(folder_ + "/state", folder_ + "/link");
  EXPECT_EQ(code(make_private_subfolder(folder_ + "/link")), "data-folder");
}

TEST_F(PrivateFiles, ALinkIsNoFolder) {
  make_folder(folder_ + "/real", 0700);
  fs::create_symlink(folder_ + "/real", folder_ + "/link");
  EXPECT_EQ(code(make_private_folder(folder_ + "/link")), "data-folder");
  EXPECT_EQ(code(make_private_folder(folder_ + "/link/")), "data-folder");
}

TEST_F(PrivateFiles, AFileIsReadOnlyIfItIsOursAloneAndNoLink) {
  const std::string path = folder_ + "/file";
  ASSERT_TRUE(write_private_file(path, "text", "key-file").ok());
  EXPECT_EQ(mode(path), 0600u);
  EXPECT_EQ(read_private_file(path, "key-file", "").value(), "text");
  fs::create_symlink(path, folder_ + "/link");
  EXPECT_EQ(read_private_file(folder_ + "/link", "key-file", "").error().code, "key-file-foreign");
  EXPECT_EQ(read_private_file(folder_, "key-file", "").error().code, "key-file-foreign");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(read_private_file(path, "key-file", "").error().code, "key-file-open");
  EXPECT_EQ(read_private_file(folder_ + "/none", "key-file", "make it").error().hint, "make it");
}

TEST_F(PrivateFiles, AFileAboveTheBoundIsRefusedAndAPipeIsNotWaitedFor) {
  const std::string path = folder_ + "/file", pipe = folder_ + "/pipe";
  ASSERT_TRUE(write_private_file(path, std::string(64 << 10, 'x'), "key-file").ok());
  EXPECT_EQ(read_private_file(path, "key-file", "").value().size(), 64u << 10);
  ASSERT_TRUE(write_private_file(path, std::string((64 << 10) + 1, 'x'), "key-file").ok());
  EXPECT_EQ(read_private_file(path, "key-file", "").error().code, "key-file-too-large");
  EXPECT_EQ(read_trusted_file(path, "key-file").error().code, "key-file-too-large");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_private_file(pipe, "key-file", "").error().code, "key-file-foreign");
  EXPECT_EQ(read_trusted_file(pipe, "key-file").error().code, "key-file-foreign");
}

TEST_F(PrivateFiles, AFileIsTrustedThatOthersMayReadAndNotWrite) {
  const std::string path = folder_ + "/file";
  ASSERT_TRUE(write_private_file(path, "text", "key-file").ok());
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  fs::create_symlink(path, folder_ + "/link");
  EXPECT_EQ(read_trusted_file(folder_ + "/link", "key-file").value(), "text");
  for (const unsigned open : {0664u, 0646u}) {
    ASSERT_EQ(::chmod(path.c_str(), open), 0);
    EXPECT_EQ(read_trusted_file(path, "key-file").error().code, "key-file-open");
  }
  EXPECT_EQ(read_trusted_file(folder_ + "/none", "key-file").error().code, "key-file-missing");
}

TEST_F(PrivateFiles, WhatAnotherUserPreparedIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "gives files to another user";
  const std::string path = folder_ + "/file";
  ASSERT_TRUE(write_private_file(path, "text", "key-file").ok());
  make_folder(folder_ + "/theirs", 0700);
  ASSERT_EQ(::chown(path.c_str(), 12'345, 12'345), 0);
  ASSERT_EQ(::chown((folder_ + "/theirs").c_str(), 12'345, 12'345), 0);
  EXPECT_EQ(read_private_file(path, "key-file", "").error().code, "key-file-foreign");
  EXPECT_EQ(code(make_private_folder(folder_ + "/theirs")), "data-folder");
}

// As systemd 252 and 257 make them: LoadCredential= for a service of root, and of another user.
class Credentials : public PrivateFiles {
 protected:
  void SetUp() override { setenv("CREDENTIALS_DIRECTORY", folder_.c_str(), 1); }
  void TearDown() override {
    unsetenv("CREDENTIALS_DIRECTORY");
    ::chmod(folder_.c_str(), 0700);
  }
  std::string make_credential(mode_t folder, mode_t file, gid_t group = 0) {
    const std::string path = folder_ + "/agent.key";
    ::chmod(folder_.c_str(), 0700);
    std::ofstream(path) << "secret";
    EXPECT_EQ(::chown(path.c_str(), ::geteuid(), group), 0);
    EXPECT_EQ(::chmod(path.c_str(), file), 0);
    EXPECT_EQ(::chmod(folder_.c_str(), folder), 0);
    return path;
  }
  static std::string read(const std::string& path) {
    const auto text = read_private_file(path, "key-file", "");
    const auto checked = check_secret_file(path, "key-file");
    EXPECT_EQ(text.ok(), checked.ok()) << path;
    return text.ok() ? *text : text.error().code.word();
  }
};

TEST_F(Credentials, AreReadThoughTheyShowTheRightsOfAnAccessList) {
  if (::geteuid() != 0) GTEST_SKIP() << "they are root's";
  EXPECT_EQ(read(make_credential(0500, 0400)), "secret");
  EXPECT_EQ(read(make_credential(0550, 0440)), "secret");
}

TEST_F(Credentials, ThatOthersMayReadAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "they are root's";
  EXPECT_EQ(read(make_credential(0550, 0440, 4)), "key-file-open")
      << "the rights of a group that has members";
  EXPECT_EQ(read(make_credential(0550, 0444)), "key-file-open");
  EXPECT_EQ(read(make_credential(0550, 0460)), "key-file-open");
  EXPECT_EQ(read(make_credential(0755, 0440)), "key-file-open") << "the folder lets others in";
  const std::string elsewhere = make_credential(0550, 0440);
  setenv("CREDENTIALS_DIRECTORY", (folder_ + "key-file").c_str(), 1);
  EXPECT_EQ(read(elsewhere), "key-file-open");
}

TEST_F(PrivateFiles, AWriteDoesNotFollowALinkThatWaitsForIt) {
  std::ofstream(folder_ + "/victim") << "theirs";
  fs::create_symlink(folder_ + "/victim", folder_ + "/file.new");
  fs::create_symlink(folder_ + "/victim", folder_ + "/file");
  ASSERT_TRUE(write_private_file(folder_ + "/file", "ours", "key-file").ok());
  std::string theirs;
  std::ifstream(folder_ + "/victim") >> theirs;
  EXPECT_EQ(theirs, "theirs");
  EXPECT_EQ(read_private_file(folder_ + "/file", "key-file", "").value(), "ours");
}

}  // namespace
}  // namespace berth
