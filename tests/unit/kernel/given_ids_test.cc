#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agents/kernel/host/image_ids.h"
#include "agents/kernel/id_ranges.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::agents {
namespace {

constexpr std::uint32_t kCount = 65'536;

TEST(GivenIds, AreThoseOfUsersGroupsAndTheirContainers) {
  std::vector<GivenIds> given;
  read_subids("ann:100000:65536\nbob:165536:65536\nnonsense\nbig:1:99999999999\n", "/etc/subuid", given);
  read_users("root:x:0:0:root:/root:/bin/bash\nfar:x:2001731600:5::/:/bin/sh\n\n", "/etc/passwd", given);
  ASSERT_EQ(given.size(), 4u);
  EXPECT_EQ(owner_among(given, 100'000, kCount)->whose, "ann by /etc/subuid");
  EXPECT_EQ(owner_among(given, 165'535, 1)->whose, "ann by /etc/subuid");
  EXPECT_EQ(owner_among(given, 165'536, 1)->whose, "bob by /etc/subuid");
  EXPECT_EQ(owner_among(given, kKernelIdsBase, kCount)->whose, "far by /etc/passwd");
  EXPECT_EQ(owner_among(given, kImagesIdsBase, kCount), nullptr);
}

TEST(GivenIds, ARangeThatAUserHasIsNoKernels) {
  IdRanges ranges(kCount);
  ranges.avoid(kKernelIdsBase + 10, kKernelIdsBase + 2 * kCount);
  EXPECT_EQ(*ranges.take("a"), kKernelIdsBase + 3 * kCount);
  ranges.avoid(0, 1000);
  ranges.avoid(kDiskBase, UINT32_MAX);
  EXPECT_EQ(*ranges.take("b"), kKernelIdsBase + 4 * kCount);
}

class ImageIdsTest : public ::testing::Test {
 protected:
  ImageIds choose(bool shared_ids = false) {
    auto ids = choose_image_ids(folder_, kCount, shared_ids, given_);
    EXPECT_TRUE(ids.ok()) << to_string(ids.error());
    return ids.ok() ? *ids : ImageIds{};
  }
  const TempFolder temp_;
  const std::string folder_ = temp_.path + "/images";
  std::vector<GivenIds> given_ = {{100'000, 165'535, "ann by /etc/subuid"}};
};

TEST_F(ImageIdsTest, AreNobodysAndStayAsTheyAre) {
  EXPECT_EQ(choose().base, kImagesIdsBase);
  EXPECT_EQ(choose().warning, "");
  given_.push_back({kImagesIdsBase, kImagesIdsBase, "far by /etc/passwd"});
  const ImageIds later = choose();
  EXPECT_EQ(later.base, kImagesIdsBase) << "its images have them on disk";
  EXPECT_NE(later.warning.find("far by /etc/passwd"), std::string::npos) << later.warning;
}

TEST_F(ImageIdsTest, AreOthersWhereAUserHasTheUsualOnes) {
  given_.push_back({kImagesIdsBase + 5, kImagesIdsBase + 5, "far by /etc/passwd"});
  EXPECT_EQ(choose().base, kImagesIdsBase + kCount);
  EXPECT_EQ(choose().base, kImagesIdsBase + kCount);
}

TEST_F(ImageIdsTest, OfAnOlderAgentsImagesStayAndTheUserWhoHasThemIsNamed) {
  std::filesystem::create_directories(folder_ + "/images/abc");
  const ImageIds ids = choose();
  EXPECT_EQ(ids.base, kOldImagesIdsBase);
  EXPECT_NE(ids.warning.find("ann by /etc/subuid"), std::string::npos) << ids.warning;
  EXPECT_NE(ids.warning.find("remove " + folder_), std::string::npos) << ids.warning;
}

TEST_F(ImageIdsTest, ThatVolumesShareAreTheSameEverywhere) {
  EXPECT_EQ(choose(true).base, kOldImagesIdsBase);
}

TEST_F(ImageIdsTest, OfADamagedRecordAreRefused) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/ids") << "berth ids 2 x\n";
  EXPECT_EQ(choose_image_ids(folder_, kCount, false, given_).error().code, "image-folder");
}

}  // namespace
}  // namespace berth::agents
