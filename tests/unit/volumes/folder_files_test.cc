#include "agents/volumes/folder_files.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <ctime>

#include "agents/volumes/disk_owner.h"
#include "tests/unit/volumes/volume_rig.h"

namespace berth::agents {
namespace {

class FolderFilesTest : public VolumeTest {
 protected:
  FolderFilesTest() {
    open();
    EXPECT_TRUE(volumes->make(id(), folder_id(1)));
    auto opened = volumes->open_folder(id(), folder_id(1));
    EXPECT_TRUE(opened);
    folder = std::move(*opened);
  }
  FolderFiles files() { return {*volumes, folder}; }
  std::string at(const std::string& path) const { return folder_path(1) + "/" + path; }
  std::vector<std::string> names(const std::string& after = {}, std::uint32_t limit = 0) {
    std::vector<std::string> all;
    const auto listed = files().list("", after, limit);
    EXPECT_TRUE(listed) << to_string(listed.error());
    for (const auto& entry : listed->entries()) all.push_back(entry.name());
    return all;
  }
  template <class Value> static std::string code(const Result<Value>& result) {
    return result ? "" : result.error().code.word();
  }

  OpenFolder folder;
};

using Names = std::vector<std::string>;

TEST_F(FolderFilesTest, AListingIsSortedAndComesInPages) {
  for (const char* name : {"b", "a", "c", "B", "d"}) write(at(name), name);
  EXPECT_EQ(names(), (Names{"B", "a", "b", "c", "d"}));
  const auto page = files().list("", "", 2);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->entries_size(), 2);
  EXPECT_EQ(page->next(), "a");
  EXPECT_EQ(names("a", 2), (Names{"b", "c"}));
  const auto last = files().list("", "c", 2);
  EXPECT_EQ(last->entries_size(), 1);
  EXPECT_EQ(last->next(), "");
}

TEST_F(FolderFilesTest, NamesThatAreNoTextAreCountedAndNotListed) {
  write(at("good"), "");
  write(at("bad\xFF"), "");
  const auto listed = files().list("", "", 0);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->entries_size(), 1);
  EXPECT_EQ(listed->not_utf8(), 1u);
}

TEST_F(FolderFilesTest, AnEntryTellsWhatItIs) {
  write(at("file"), "12345");
  std::filesystem::create_directory(at("inner"));
  std::filesystem::create_symlink("file", at("link"));
  mkfifo(at("pipe").c_str(), 0600);
  const auto file = files().stat("file");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->type(), v1::FILE);
  EXPECT_EQ(file->bytes(), 5u);
  EXPECT_EQ(files().stat("inner")->type(), v1::FOLDER);
  EXPECT_EQ(files().stat("link")->type(), v1::OTHER);
  EXPECT_EQ(files().stat("pipe")->type(), v1::OTHER);
  EXPECT_EQ(files().stat("")->type(), v1::FOLDER);
  const std::string before = file->tag();
  write(at("file"), "changed");
  EXPECT_NE(files().stat("file")->tag(), before);
}

TEST_F(FolderFilesTest, ATimeThatNoClockReachesIsTheLastOneThatCanBeTold) {
  write(at("file"), "x");
  constexpr std::time_t k2400 = 13'569'465'600, k1905 = -2'051'222'400;
  const auto told = [&](std::time_t seconds) {
    const timespec times[] = {{seconds, 5}, {seconds, 5}};
    EXPECT_EQ(utimensat(AT_FDCWD, at("file").c_str(), times, 0), 0);
    struct stat info {};
    EXPECT_EQ(stat(at("file").c_str(), &info), 0);
    EXPECT_EQ(info.st_mtim.tv_sec, seconds) << "this file system keeps no such time";
    return files().stat("file")->modified_ns();
  };
  EXPECT_GT(told(k2400), INT64_MAX - 2 * kSecond);
  EXPECT_EQ(told(k1905), k1905 * kSecond + 5);
}

TEST_F(FolderFilesTest, OnlyARegularFileIsOpenedAndNothingHoldsTheAgentUp) {
  std::filesystem::create_directory(at("inner"));
  std::filesystem::create_symlink("file", at("link"));
  mkfifo(at("pipe").c_str(), 0666);
  mknod(at("device").c_str(), S_IFCHR | 0666, makedev(1, 5));
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{AF_UNIX, {}};
  at("socket").copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  for (const char* path : {"", "inner", "link", "pipe", "device", "socket"})
    EXPECT_EQ(code(files().open(path)), "not-a-file") << path;
  close(socket);
}

TEST_F(FolderFilesTest, AHardLinkAndASparseFileAreFiles) {
  write(at("one"), "text");
  ASSERT_EQ(link(at("one").c_str(), at("other").c_str()), 0);
  ASSERT_TRUE(files().open("other"));
  const int sparse = ::open(at("sparse").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(ftruncate(sparse, 1ll << 40), 0);
  close(sparse);
  const auto opened = files().open("sparse");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->entry.bytes(), std::uint64_t{1} << 40);
}

TEST_F(FolderFilesTest, NoPathLeavesTheFolder) {
  write(temp.path + "/secret", "x");
  std::filesystem::create_symlink(temp.path, at("out"));
  std::filesystem::create_symlink(temp.path + "/secret", at("secret"));
  EXPECT_EQ(code(files().open("out/secret")), "not-a-folder");
  EXPECT_EQ(code(files().open("secret")), "not-a-file");
  EXPECT_EQ(code(files().list("out", "", 0)), "not-a-folder");
  EXPECT_EQ(code(files().make_folder("out/x")), "not-a-folder");
  EXPECT_EQ(code(files().remove("out/secret", true)), "not-a-folder");
  EXPECT_EQ(code(files().rename("secret", "out/moved")), "not-a-folder");
  for (const char* path : {"../x", "/etc/passwd", "a/../../x", "a//b", "a/", "."}) {
    EXPECT_EQ(code(files().open(path)), "path-invalid") << path;
    EXPECT_EQ(code(files().remove(path, true)), "path-invalid") << path;
  }
  EXPECT_EQ(read(temp.path + "/secret"), "x");
}

TEST_F(FolderFilesTest, AFolderIsMadeForTheFilesOwner) {
  ASSERT_TRUE(files().make_folder("a"));
  ASSERT_TRUE(files().make_folder("a/b"));
  struct stat info {};
  ASSERT_EQ(stat(at("a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kFolderUid);
  EXPECT_EQ(info.st_mode & 07777, 0755u);
  EXPECT_EQ(code(files().make_folder("a")), "path-exists");
  EXPECT_EQ(code(files().make_folder("")), "path-invalid");
  EXPECT_EQ(code(files().make_folder("x/y")), "unknown-path");
  write(at("file"), "");
  EXPECT_EQ(code(files().make_folder("file/x")), "not-a-folder");
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
}

TEST_F(FolderFilesTest, ARenameReplacesNothing) {
  write(at("a"), "a");
  write(at("b"), "b");
  std::filesystem::create_directory(at("inner"));
  EXPECT_EQ(code(files().rename("a", "b")), "path-exists");
  EXPECT_EQ(code(files().rename("none", "c")), "unknown-path");
  EXPECT_EQ(code(files().rename("inner", "inner/deeper")), "path-invalid");
  ASSERT_TRUE(files().rename("a", "inner/a"));
  EXPECT_EQ(read(at("inner/a")), "a");
  EXPECT_EQ(read(at("b")), "b");
}

TEST_F(FolderFilesTest, WhatIsRemovedIsGoneAndWhatIsNotEmptyOnlyWithAllInIt) {
  write(at("file"), "");
  std::filesystem::create_directories(at("inner/deeper"));
  write(at("inner/deeper/x"), "x");
  std::filesystem::create_symlink("file", at("link"));
  EXPECT_EQ(code(files().remove("none", false)), "unknown-path");
  EXPECT_EQ(code(files().remove("inner", false)), "folder-not-empty");
  ASSERT_TRUE(files().remove("link", false));
  EXPECT_TRUE(exists(at("file")));
  ASSERT_TRUE(files().remove("file", false));
  ASSERT_TRUE(files().remove("inner", true));
  EXPECT_EQ(entries_in(folder_path(1)), 0u);
  volumes->await_empty_trash();
  EXPECT_EQ(entries_in(root + "/trash"), 0u);
}

TEST_F(FolderFilesTest, ATreeThatIsDeeperThanAnyPathIsRemoved) {
  std::filesystem::create_directory(at("deep"));
  int above = ::open(at("deep").c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(mkdirat(above, "d", 0700), 0);
    const int inner = openat(above, "d", O_RDONLY | O_DIRECTORY);
    close(above);
    above = inner;
  }
  close(above);
  ASSERT_TRUE(files().remove("deep", true));
  volumes->await_empty_trash();
  EXPECT_EQ(entries_in(root + "/trash"), 0u);
}

}  // namespace
}  // namespace berth::agents
