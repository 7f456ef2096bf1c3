#include "controller/runtime/void_list.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace berth::testing {
namespace {

using controller::VoidList;

TEST(VoidList, RemembersItsOffsetsOverARestart) {
  const TempDir folder;
  const std::string path = folder.path() / "voids";
  VoidList(path).add(7);
  EXPECT_TRUE(VoidList(path).contains(7));
  EXPECT_FALSE(VoidList(path).contains(8));
}

TEST(VoidList, F13_ForgetsWhatLiesBehindAPlaceFromWhichTheJournalIsReadAgain) {
  const TempDir folder;
  const std::string path = folder.path() / "voids";
  VoidList voids(path);
  for (const Offset offset : {3, 5, 9}) voids.add(offset);
  voids.forget_from(5);
  EXPECT_TRUE(voids.contains(3));
  EXPECT_FALSE(voids.contains(5));
  EXPECT_EQ(voids.size(), 1u);
  EXPECT_EQ(VoidList(path).size(), 1u) << "after a restart too";
}

}  // namespace
}  // namespace berth::testing
