// A folder that two make at once: an agent by its order, and a shim whose kernel wants it already.
#include "agents/volumes/new_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>
#include <vector>

#include "agents/volumes/disk_owner.h"
#include "events/base/files/descriptor.h"
#include "tests/unit/volumes/volume_rig.h"

namespace berth::agents {
namespace {

class NewFolder : public VolumeTest {
 protected:
  NewFolder() { open(); }
  bool make(std::uint8_t n, std::uint32_t owner = kFolderUid) {
    const Descriptor folders(::open((root + "/folders").c_str(), O_RDONLY | O_DIRECTORY));
    const Descriptor staging(::open((root + "/staging").c_str(), O_RDONLY | O_DIRECTORY));
    return make_new_folder(folders.get(), staging.get(), to_hex(folder_id(n).view()), owner);
  }
};

TEST_F(NewFolder, HasItsOwnerAndOneThatIsThereStaysAsItIs) {
  ASSERT_TRUE(make(1));
  struct stat info {};
  ASSERT_EQ(stat(folder_path(1).c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kFolderUid);
  EXPECT_EQ(info.st_gid, kFolderUid);
  EXPECT_EQ(info.st_mode & 07777, 0770u);
  write(folder_path(1) + "/note", "kept");
  EXPECT_TRUE(make(1, 101'000));
  EXPECT_EQ(read(folder_path(1) + "/note"), "kept");
  ASSERT_EQ(stat(folder_path(1).c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kFolderUid);
}

TEST_F(NewFolder, ThatManyMakeAtOnceIsOneAndLeavesNothingBeside) {
  for (std::uint8_t n = 1; n <= 20; ++n) {
    std::vector<std::thread> makers;
    std::atomic<int> made = 0;
    for (int i = 0; i < 4; ++i)
      makers.emplace_back([&, i] { made += i == 0 ? volumes->make(id(), folder_id(n)).ok() : make(n); });
    for (auto& maker : makers) maker.join();
    EXPECT_EQ(made, 4);
    EXPECT_TRUE(exists(folder_path(n)));
  }
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
}

TEST_F(NewFolder, WithoutAPlaceForItIsNotMade) {
  std::filesystem::remove(root + "/staging");
  EXPECT_FALSE(make(1));
  EXPECT_FALSE(exists(folder_path(1)));
}

}  // namespace
}  // namespace berth::agents
