#include "controller/api/auth/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "events/base/files/private_files.h"
#include "tests/support/temp_dir.h"

namespace berth::controller::api {
namespace {

class KeyFile : public ::testing::Test {
 protected:
  void write(const std::string& text, int mode) {
    ASSERT_TRUE(make_private_folder(folder_ + "/keys").ok());
    std::ofstream(admin_key_path(folder_)) << text;
    ::chmod(admin_key_path(folder_).c_str(), static_cast<mode_t>(mode));
  }
  const testing::TempDir temp_;
  const std::string folder_ = temp_.path().string();
};

TEST_F(KeyFile, IsMadeAtTheFirstStartAndKept) {
  const auto first = load_or_create_admin_key(folder_);
  ASSERT_TRUE(first.ok()) << to_string(first.error());
  EXPECT_GE(first->secret_key.size(), 43u);
  const auto again = load_or_create_admin_key(folder_);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->access_key, first->access_key);
  EXPECT_EQ(again->secret_key, first->secret_key);
}

TEST_F(KeyFile, IsReadableByItsOwnerAlone) {
  ASSERT_TRUE(load_or_create_admin_key(folder_).ok());
  struct stat file {
  }, keys{};
  ASSERT_EQ(::stat(admin_key_path(folder_).c_str(), &file), 0);
  ASSERT_EQ(::stat((folder_ + "/keys").c_str(), &keys), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  EXPECT_EQ(keys.st_mode & 0777, 0700u);
}

TEST_F(KeyFile, NotesTheEndpointAndKeepsThePair) {
  const auto first = load_or_create_admin_key(folder_);
  const auto noted = load_or_create_admin_key(folder_, "http://127.0.0.1:7410");
  ASSERT_TRUE(noted.ok());
  EXPECT_EQ(noted->secret_key, first->secret_key);
  EXPECT_EQ(read_key_file(admin_key_path(folder_))->endpoint, "http://127.0.0.1:7410");
}

TEST_F(KeyFile, TwoFoldersHaveDifferentKeys) {
  const auto one = load_or_create_admin_key(folder_ + "/a"), two = load_or_create_admin_key(folder_ + "/b");
  EXPECT_NE(one->access_key, two->access_key);
  EXPECT_NE(one->secret_key, two->secret_key);
}

TEST_F(KeyFile, IsRefusedWhenOthersMayReadIt) {
  write(R"({"access_key": "a", "secret_key": "b"})", 0644);
  const auto key = load_or_create_admin_key(folder_);
  ASSERT_FALSE(key.ok());
  EXPECT_EQ(key.error().code, "key-file-open");
  EXPECT_NE(key.error().hint.find("chmod 600"), std::string::npos);
}

TEST_F(KeyFile, IsRefusedInAFolderThatIsALink) {
  ASSERT_TRUE(load_or_create_admin_key(folder_ + "/theirs").ok());
  std::filesystem::create_directory(folder_ + "/ours");
  std::filesystem::create_symlink(folder_ + "/theirs/keys", folder_ + "/ours/keys");
  const auto key = load_or_create_admin_key(folder_ + "/ours");
  ASSERT_FALSE(key.ok());
  EXPECT_EQ(key.error().code, "data-folder");
}

TEST_F(KeyFile, IsNeverOverwrittenWhenMalformed) {
  for (const char* text :
       {"", "{", "[]", R"({"access_key": "a"})", R"({"access_key": "", "secret_key": "b"})",
        R"({"access_key": 1, "secret_key": 2})"}) {
    write(text, 0600);
    const auto key = load_or_create_admin_key(folder_);
    ASSERT_FALSE(key.ok()) << text;
    EXPECT_EQ(key.error().code, "key-file-malformed");
    EXPECT_FALSE(key.error().hint.empty());
  }
}

TEST_F(KeyFile, SaysWhatToDoWhenThereIsNone) {
  const auto key = read_key_file(admin_key_path(folder_));
  ASSERT_FALSE(key.ok());
  EXPECT_EQ(key.error().code, "key-file-missing");
}

TEST_F(KeyFile, SaysSoWhenTheFolderCannotBeWritten) {
  std::ofstream(folder_ + "/file") << "x";
  const auto key = load_or_create_admin_key(folder_ + "/file");
  ASSERT_FALSE(key.ok());
  EXPECT_FALSE(key.error().message.empty());
}

}  // namespace
}  // namespace berth::controller::api
