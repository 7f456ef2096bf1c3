// Which uploads have their place in the folder, and which only seem to.
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "tests/unit/volumes/uploads_rig.h"

namespace berth::agents {
namespace {

using UploadPlace = UploadsTest;

TEST_F(UploadPlace, BeginsOfOneUploadAtOnceMakeOne) {
  write(at("file"), "old");
  v1::FileQuestion begin = whole("hello");
  begin.set_overwrite(true);
  for (int round = 0; round < 100; ++round) {
    std::vector<Result<std::uint64_t>> begun(4, Result<std::uint64_t>(0));
    std::vector<std::thread> threads;
    for (auto& one : begun) threads.emplace_back([&] { one = uploads().begin(begin); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& one : begun) {
      ASSERT_TRUE(one) << one.error().message;
      ASSERT_EQ(*one, 0u);
    }
    ASSERT_EQ(*uploads().status(begin), 0u);
    ASSERT_EQ(entries_in(root + "/staging"), 3u);
    ASSERT_TRUE(uploads().abort(begin));
  }
}

TEST_F(UploadPlace, WithoutItsPartAnUploadIsNoneAndIsBegunAnew) {
  write(at("file"), "old");
  v1::FileQuestion begin = whole("hello");
  begin.set_overwrite(true);
  ASSERT_TRUE(uploads().begin(begin));
  ASSERT_EQ(unlink(staged(".part").c_str()), 0);
  EXPECT_EQ(code(uploads().status(begin)), "unknown-upload");
  EXPECT_EQ(code(uploads().finish(begin)), "unknown-upload");
  EXPECT_EQ(code(add(chunk_at(5, ""), "")), "unknown-upload");
  EXPECT_EQ(*uploads().begin(begin), 0u);
  ASSERT_TRUE(add(chunk_at(0, "hello"), "hello"));
  ASSERT_TRUE(uploads().finish(begin));
  EXPECT_EQ(read(at("file")), "hello");
}

TEST_F(UploadPlace, ABeginThatTheDiskDoesNotKeepLeavesNoUpload) {
  write(at("file"), "old");
  v1::FileQuestion begin = whole("hello");
  begin.set_overwrite(true);
  EXPECT_FALSE(Uploads(folder, [](int) { return false; }).begin(begin));
  EXPECT_EQ(code(uploads().finish(begin)), "unknown-upload");
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
}

TEST_F(UploadPlace, AKillBetweenTheTwoRenamesOfAFinishLosesNothing) {
  ASSERT_TRUE(uploads().begin(whole("hello")));
  ASSERT_TRUE(add(chunk_at(0, "hello"), "hello"));
  const std::string done = root + "/uploaded" + staged(".about").substr((root + "/staging").size());
  std::filesystem::rename(staged(".about"), done);
  EXPECT_EQ(*uploads().begin(whole("hello")), 5u);
  ASSERT_TRUE(uploads().finish(whole("hello")));
  EXPECT_EQ(read(at("file")), "hello");
  EXPECT_TRUE(uploads().finish(whole("hello")));
}

TEST_F(UploadPlace, OfOneThatIsRemovedBetweenTheTwoRenamesNothingIsThoughtToHaveItsPlace) {
  ASSERT_TRUE(uploads().begin(whole("hello")));
  write(at("file"), "old");
  const std::string done = root + "/uploaded" + staged(".about").substr((root + "/staging").size());
  std::filesystem::rename(staged(".about"), done);
  drop_old_uploads(root, -kSecond);
  EXPECT_EQ(code(uploads().finish(whole("hello"))), "unknown-upload");
  EXPECT_FALSE(exists(done));
}

TEST_F(UploadPlace, WhatTheDiskDidNotKeepIsSentAgain) {
  ASSERT_TRUE(uploads().begin(whole("hello")));
  ASSERT_TRUE(add(chunk_at(0, "hello"), "hello"));
  EXPECT_FALSE(Uploads(folder, [](int) { return false; }).finish(whole("hello")));
  EXPECT_FALSE(exists(at("file")));
  EXPECT_EQ(*uploads().status(whole("hello")), 0u);
  EXPECT_EQ(code(uploads().finish(whole("hello"))), "offset-differs");
  ASSERT_TRUE(add(chunk_at(0, "hello"), "hello"));
  ASSERT_TRUE(uploads().finish(whole("hello")));
  EXPECT_EQ(read(at("file")), "hello");
}

TEST_F(UploadPlace, OneWhosePlaceIsTakenMeanwhileIsStillUnderWay) {
  ASSERT_TRUE(uploads().begin(whole("hello")));
  ASSERT_TRUE(add(chunk_at(0, "hello"), "hello"));
  auto finishing = uploads().begin_finish(whole("hello"));
  ASSERT_TRUE(finishing);
  ASSERT_TRUE(*uploads().read_on(*finishing));
  write(at("file"), "faster");
  EXPECT_EQ(code(uploads().end_finish(*std::move(finishing))), "path-exists");
  EXPECT_EQ(*uploads().status(whole("hello")), 5u);
  unlink(at("file").c_str());
  EXPECT_TRUE(uploads().finish(whole("hello")));
  EXPECT_EQ(read(at("file")), "hello");
}

}  // namespace
}  // namespace berth::agents
