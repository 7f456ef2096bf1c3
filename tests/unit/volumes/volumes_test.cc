#include "agents/volumes/volumes.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "agents/volumes/disk_owner.h"
#include "tests/unit/volumes/volume_rig.h"

namespace berth::agents {
namespace {

class VolumesTest : public VolumeTest {};

TEST_F(VolumesTest, AnEmptyFolderBecomesAVolumeWhoseIdStays) {
  open();
  EXPECT_EQ(volumes->list()[0].name, "local");
  EXPECT_EQ(volumes->list()[0].root, root);
  EXPECT_FALSE(volumes->list()[0].shared_ids);
  const VolumeId first = id();
  EXPECT_FALSE(first.is_nil());
  open();
  EXPECT_EQ(id(), first);
  EXPECT_EQ(volumes->find(first), volumes->list().data());
  EXPECT_EQ(volumes->find({}), nullptr);
}

TEST_F(VolumesTest, AnEmptyFolderInPlaceOfAKnownVolumeIsRefusedAndNothingIsMadeInIt) {
  settings.known = root + "-known";
  open();
  const VolumeId first = id();
  volumes.reset();
  std::filesystem::rename(root, root + "-unmounted");
  std::filesystem::create_directory(root);
  EXPECT_EQ(code_of_open(), "known-folder-empty");
  EXPECT_TRUE(std::filesystem::is_empty(root));
  std::filesystem::remove(root);
  std::filesystem::rename(root + "-unmounted", root);
  open();
  EXPECT_EQ(id(), first);
  volumes.reset();
  std::filesystem::remove_all(root);
  std::filesystem::create_directory(root);
  std::filesystem::remove(settings.known + "/local");  // as the refusal says
  open();
  EXPECT_NE(id(), first);
  volumes.reset();
  std::filesystem::remove_all(settings.known);
}

TEST_F(VolumesTest, AnotherVolumeInPlaceOfAKnownOneIsRefusedAndAtAnotherPathIsNot) {
  settings.known = root + "-known";
  open();
  volumes.reset();
  std::filesystem::remove_all(root);
  std::filesystem::create_directory(root);
  const std::string known = std::exchange(settings.known, "");
  open();
  volumes.reset();
  settings.known = known;
  EXPECT_EQ(code_of_open(), "known-folder-other");
  std::filesystem::rename(root, root + "-moved");
  settings.places[0].path = root + "-moved";
  EXPECT_EQ(code_of_open(), "");
  std::filesystem::remove_all(root + "-moved");
  std::filesystem::remove_all(known);
}

TEST_F(VolumesTest, TheRootAndAllAboveTheFoldersIsRootsAlone) {
  chmod(root.c_str(), 0755);
  open();
  for (const char* inner : {"", "/folders", "/staging", "/trash"}) {
    struct stat info {};
    ASSERT_EQ(stat((root + inner).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700u) << inner;
    EXPECT_EQ(info.st_uid, 0u);
  }
}

TEST_F(VolumesTest, NamesAndPathsThatAreNoneAreRefused) {
  for (const VolumePlace& place : {VolumePlace{"a b", root}, VolumePlace{"", root}, VolumePlace{"a", "v"},
                                   VolumePlace{"a", ""}, VolumePlace{"..", root}}) {
    settings.places = {place};
    EXPECT_EQ(code_of_open(), "volume-invalid") << place.name << "=" << place.path;
  }
  settings.places = {{"a", root}, {"a", temp.path}};
  EXPECT_EQ(code_of_open(), "volume-invalid");
  settings.places.assign(kVolumesMax + 1, {});
  for (std::size_t i = 0; i < settings.places.size(); ++i)
    settings.places[i] = {"v" + std::to_string(i), root};
  EXPECT_EQ(code_of_open(), "volume-invalid");
}

TEST_F(VolumesTest, OneVolumeUnderTwoNamesIsRefused) {
  settings.places = {{"a", root}, {"b", root}};
  EXPECT_EQ(code_of_open(), "volume-invalid");
}

TEST_F(VolumesTest, AFolderThatIsNotThereOrIsNoneOrHoldsOtherThingsIsRefusedAndLeftAlone) {
  settings.places = {{"a", temp.path + "/nowhere"}};
  EXPECT_EQ(code_of_open(), "volume-unusable");
  write(temp.path + "/file", "x");
  settings.places = {{"a", temp.path + "/file"}};
  EXPECT_EQ(code_of_open(), "volume-unusable");
  settings.places = {{"a", temp.path}};
  EXPECT_EQ(code_of_open(), "volume-unusable");
  EXPECT_FALSE(exists(temp.path + "/volume"));
}

TEST_F(VolumesTest, ADiskThatWasJustMountedIsTaken) {
  std::filesystem::create_directory(root + "/lost+found");
  EXPECT_EQ(code_of_open(), "");
}

TEST_F(VolumesTest, ADamagedMarkerIsRefusedAndStays) {
  for (const char* text :
       {"", "berth volume 1 ab\n", "berth volume 2 00000000000000000000000000000001\n", "x"}) {
    write(root + "/volume", text);
    EXPECT_EQ(code_of_open(), "volume-unusable") << text;
    EXPECT_EQ(read(root + "/volume"), text);
  }
  std::filesystem::remove(root + "/volume");
  std::filesystem::create_symlink("/etc/hostname", root + "/volume");
  EXPECT_EQ(code_of_open(), "volume-unusable");
}

TEST_F(VolumesTest, AMarkerThatACrashCutShortIsMadeAnew) {
  std::filesystem::create_directory(root + "/folders");
  write(root + "/volume.new", "berth vol");
  open();
  EXPECT_FALSE(id().is_nil());
}

TEST_F(VolumesTest, AFileSystemWithoutIdMapsIsRefusedUnlessIdsAreShared) {
  takes_idmaps = make_error("no-idmaps", "no", "--shared-ids");
  settings.shared_owner = 101'000;
  EXPECT_EQ(code_of_open(), "volume-without-idmaps");
  settings.shared_ids = true;
  open();
  EXPECT_TRUE(volumes->list()[0].shared_ids);
  EXPECT_NE(warnings.find("local"), std::string::npos);
  ASSERT_TRUE(volumes->make(id(), folder_id(1)));
  struct stat info {};
  ASSERT_EQ(stat(folder_path(1).c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 101'000u);
}

TEST_F(VolumesTest, TwoAgentsOpenAVolumeOneAfterTheOther) {
  const int other = ::open(root.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  std::thread ends([&] {
    usleep(100'000);  // that the other waits for the lock cannot be seen
    close(other);
  });
  EXPECT_EQ(code_of_open(), "");
  ends.join();
  open();
  auto second = try_open();
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->list()[0].id, id());
}

TEST_F(VolumesTest, AFolderIsMadeForItsOwnerAndMakingItAgainChangesNothing) {
  open();
  ASSERT_TRUE(volumes->make(id(), folder_id(1)));
  struct stat info {};
  ASSERT_EQ(stat(folder_path(1).c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kFolderUid);
  EXPECT_EQ(info.st_gid, kFolderUid);
  EXPECT_EQ(info.st_mode & 07777, 0770u);
  write(folder_path(1) + "/kept", "x");
  ASSERT_TRUE(volumes->make(id(), folder_id(1)));
  EXPECT_EQ(read(folder_path(1) + "/kept"), "x");
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
}

TEST_F(VolumesTest, AFolderIsRemovedWithAllInItAndRemovingItAgainChangesNothing) {
  open();
  ASSERT_TRUE(volumes->make(id(), folder_id(1)));
  ASSERT_TRUE(volumes->make(id(), folder_id(2)));
  std::filesystem::create_directories(folder_path(1) + "/a/b/c");
  write(folder_path(1) + "/a/b/x", "x");
  ASSERT_TRUE(volumes->remove(id(), folder_id(1)));
  EXPECT_FALSE(exists(folder_path(1)));
  EXPECT_TRUE(exists(folder_path(2)));
  volumes->await_empty_trash();
  EXPECT_EQ(entries_in(root + "/trash"), 0u);
  EXPECT_TRUE(volumes->remove(id(), folder_id(1)));
}

TEST_F(VolumesTest, LinksOutOfAFolderAreRemovedAndWhatTheyLeadToStays) {
  open();
  ASSERT_TRUE(volumes->make(id(), folder_id(1)));
  std::filesystem::create_directory(temp.path + "/outside");
  write(temp.path + "/outside/x", "x");
  std::filesystem::create_symlink(temp.path + "/outside", folder_path(1) + "/link");
  ASSERT_TRUE(volumes->remove(id(), folder_id(1)));
  volumes->await_empty_trash();
  EXPECT_EQ(read(temp.path + "/outside/x"), "x");
}

// Programs of a session that make files in a folder as fast as they can, for as long as they can.
class Writers {
 public:
  Writers(const std::string& folder, std::uint32_t user) {
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (pid_t& pid : pids_) {
      pid = fork();
      if (pid == 0) write_on(opened, user);
    }
    close(opened);
  }
  ~Writers() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  Writers(const Writers&) = delete;
  Writers& operator=(const Writers&) = delete;

 private:
  [[noreturn]] static void write_on(int folder, std::uint32_t user) {
    // Of this thread alone, as the library's own would wait for threads that are not here.
    if (syscall(SYS_setresgid, user, user, user) != 0 || syscall(SYS_setresuid, user, user, user) != 0)
      _exit(1);
    char name[] = "a0000000";
    for (unsigned number = static_cast<unsigned>(getpid()) * 1000u;; ++number) {
      for (int digit = 0; digit < 7; ++digit) name[7 - digit] = "01234567"[number >> (3 * digit) & 7];
      const int made = openat(folder, name, O_WRONLY | O_CREAT, 0600);
      if (made < 0) _exit(0);
      close(made);
    }
  }

  pid_t pids_[48]{};
};

TEST_F(VolumesTest, ProgramsThatGoOnWritingInWhatIsRemovedKeepNothingFromBeingRemoved) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  open();
  ASSERT_TRUE(volumes->make(id(), folder_id(1)));
  ASSERT_TRUE(volumes->make(id(), folder_id(2)));
  const Writers writers(folder_path(1), kFolderUid);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto is_late = [until] { return std::chrono::steady_clock::now() > until; };
  while (entries_in(folder_path(1)) < 1000 && !is_late()) std::this_thread::yield();
  ASSERT_TRUE(volumes->remove(id(), folder_id(1)));
  ASSERT_TRUE(volumes->remove(id(), folder_id(2)));
  while (entries_in(root + "/trash") > 0 && !is_late()) std::this_thread::yield();
  EXPECT_EQ(entries_in(root + "/trash"), 0u);
}

TEST_F(VolumesTest, WhatACrashLeftIsRemovedAtTheNextStart) {
  open();
  volumes.reset();
  std::filesystem::create_directories(root + "/trash/0123/a/b");
  std::filesystem::create_directory(root + "/staging/make-0123");
  write(root + "/staging/keep.me.part", "x");
  open();
  volumes->await_empty_trash();
  EXPECT_EQ(entries_in(root + "/trash"), 0u);
  EXPECT_FALSE(exists(root + "/staging/make-0123"));
  EXPECT_TRUE(exists(root + "/staging/keep.me.part"));
}

TEST_F(VolumesTest, AnUnknownVolumeIsAnError) {
  open();
  EXPECT_EQ(volumes->make({}, folder_id(1)).error().code, "unknown-volume");
  EXPECT_EQ(volumes->remove({}, folder_id(1)).error().code, "unknown-volume");
  EXPECT_EQ(volumes->open_folder({}, folder_id(1)).error().code, "unknown-volume");
}

TEST_F(VolumesTest, AFolderThatIsNotThereOrIsALinkIsNotOpened) {
  open();
  EXPECT_EQ(volumes->open_folder(id(), folder_id(1)).error().code, "unknown-folder");
  std::filesystem::create_symlink("/etc", folder_path(1));
  EXPECT_EQ(volumes->open_folder(id(), folder_id(1)).error().code, "volume-failed");
}

}  // namespace
}  // namespace berth::agents
