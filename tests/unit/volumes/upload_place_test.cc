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

TEST_F(UploadPlace, WhoeverKnowsTheHashOfWhatCameHasThePartOpen) {
  ASSERT_TRUE(uploads().begin(whole("hello")));
  HashSoFar so_far;
  for (const std::uint64_t offset : {0u, 2u}) {
    const std::string bytes = offset == 0 ? "he" : "llo";
    auto chunk = uploads().begin_chunk(chunk_at(offset, bytes));
    ASSERT_TRUE(chunk);
    ASSERT_TRUE(chunk->go_on(std::move(so_far)));
    ASSERT_TRUE(chunk->add(bytes));
    ASSERT_TRUE(chunk->end());
    so_far = chunk->whole();
    struct stat part {};
    struct stat held {};
    ASSERT_TRUE(so_far.held);
    ASSERT_EQ(stat(staged(".part").c_str(), &part), 0);
    ASSERT_EQ(fstat(so_far.held->get(), &held), 0);
    EXPECT_EQ(part.st_ino, held.st_ino);
  }
  auto finishing = uploads().begin_finish(whole("hello"));
  ASSERT_TRUE(finishing) << "it is not locked by who holds it";
  ASSERT_TRUE(uploads().abort(whole("other", "other", 'o')));
  finishing->so_far = std::move(so_far);
  ASSERT_TRUE(*uploads().read_on(*finishing));
  EXPECT_TRUE(uploads().end_finish(*std::move(finishing)));
}

TEST_F(UploadPlace, OfAnUploadThatIsRemovedNoBytesStayWithWhoHasItOpen) {
  ASSERT_TRUE(uploads().begin(whole("hello")));
  ASSERT_TRUE(add(chunk_at(0, "hello"), "hello"));
  const Descriptor held(::open(staged(".part").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(uploads().abort(whole("hello")));
  struct stat info {};
  ASSERT_EQ(fstat(held.get(), &info), 0);
  EXPECT_EQ(info.st_size, 0);
}

TEST_F(UploadPlace, WhatStandsBehindTheEndOfThePartIsNotTheFiles) {
  ASSERT_TRUE(uploads().begin(whole("hello")));
  ASSERT_TRUE(add(chunk_at(0, "hello"), "hello"));
  ASSERT_EQ(truncate(staged(".part").c_str(), 9 << 20), 0);
  ASSERT_TRUE(uploads().finish(whole("hello")));
  EXPECT_EQ(read(at("file")), "hello");
}

TEST_F(UploadPlace, OneThatIsGoneOnWithIsNotRemovedAsOld) {
  for (const bool by_begin : {true, false}) {
    SCOPED_TRACE(by_begin);
    ASSERT_TRUE(uploads().begin(whole("hello")));
    make_old({".part", ".offset", ".about"}, 25 * kHour);
    ASSERT_TRUE(by_begin ? uploads().begin(whole("hello")) : uploads().status(whole("hello")));
    drop_old_uploads(root, kUploadKept);
    EXPECT_EQ(code(add(chunk_at(0, "hello"), "hello")), "");
    ASSERT_TRUE(uploads().abort(whole("hello")));
  }
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
