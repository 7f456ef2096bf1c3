#include "agents/volumes/uploads.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "agents/volumes/disk_owner.h"
#include "tests/unit/volumes/uploads_rig.h"

namespace berth::agents {
namespace {

TEST_F(UploadsTest, TheHashOfAFileMayBeSaidAtTheEnd) {
  v1::FileQuestion begin = whole("hello");
  begin.clear_sha256();
  EXPECT_EQ(*uploads().begin(begin), 0u);
  EXPECT_EQ(*add(chunk_at(0, "hello"), "hello"), 5u);
  EXPECT_EQ(code(uploads().finish(begin)), "checksum-missing");
  EXPECT_EQ(code(uploads().finish(whole("hullo"))), "checksum-differs");
  v1::FileQuestion short_hash = whole("hello");
  short_hash.set_sha256("abc");
  EXPECT_EQ(code(uploads().finish(short_hash)), "bad-request");
  EXPECT_FALSE(exists(at("file")));
  ASSERT_TRUE(uploads().finish(whole("hello")));
  EXPECT_EQ(read(at("file")), "hello");
  EXPECT_TRUE(uploads().finish(begin)) << "asked again, as of an answer that got lost";
}

TEST_F(UploadsTest, AFinishThatIsAskedAgainIsOfTheSameFile) {
  v1::FileQuestion begin = whole("hello");
  begin.clear_sha256();
  ASSERT_TRUE(uploads().begin(begin));
  ASSERT_TRUE(add(chunk_at(0, "hello"), "hello"));
  ASSERT_TRUE(uploads().finish(whole("hello")));
  EXPECT_EQ(*uploads().begin(begin), 5u) << "asked again, too";
  EXPECT_EQ(code(uploads().begin(whole("hello"))), "upload-differs") << "it was begun without a hash";
  EXPECT_EQ(code(uploads().finish(whole("hullo"))), "checksum-differs");
  write(at("file"), "and more was written to it");
  EXPECT_EQ(uploads().finish(whole("hello"))->bytes(), 5u);
  unlink(at("file").c_str());
  EXPECT_EQ(code(uploads().finish(whole("hello"))), "unknown-path");
  std::filesystem::create_directory(at("file"));
  EXPECT_EQ(code(uploads().finish(whole("hello"))), "not-a-file");
}

TEST_F(UploadsTest, OneThatIsFinishedIsNotLookedThroughByThoseThatBegin) {
  for (int i = 0; i < 3; ++i) {
    const char n = static_cast<char>('1' + i);
    const std::string path = "file" + std::string(1, n);
    ASSERT_TRUE(uploads().begin(whole("x", path, n)));
    ASSERT_TRUE(add(chunk_at(0, "x", n), "x"));
    ASSERT_TRUE(uploads().finish(whole("x", path, n)));
    EXPECT_EQ(entries_in(root + "/staging"), 0u);
    EXPECT_EQ(*uploads().begin(whole("x", path, n)), 1u) << "the same question again";
    EXPECT_TRUE(uploads().finish(whole("x", path, n)));
  }
  EXPECT_EQ(entries_in(root + "/uploaded"), 3u);
  ASSERT_TRUE(uploads().abort(whole("x", "file1", '1')));
  EXPECT_EQ(entries_in(root + "/uploaded"), 2u);
  drop_old_uploads(root, kUploadKept);
  EXPECT_EQ(entries_in(root + "/uploaded"), 2u);
  drop_old_uploads(root, -kSecond);
  EXPECT_EQ(entries_in(root + "/uploaded"), 0u);
}

TEST_F(UploadsTest, AHashThatIsSaidTwiceIsTheSame) {
  EXPECT_EQ(*uploads().begin(whole("hello")), 0u);
  EXPECT_EQ(*add(chunk_at(0, "hello"), "hello"), 5u);
  EXPECT_EQ(code(uploads().finish(whole("hullo"))), "checksum-differs");
  v1::FileQuestion nothing = whole("hello");
  nothing.clear_sha256();
  EXPECT_TRUE(uploads().finish(nothing));
}

TEST_F(UploadsTest, AFileComesInChunksAndAppearsWhole) {
  const std::string text = "hello world";
  EXPECT_EQ(*uploads().begin(whole(text)), 0u);
  EXPECT_EQ(*add(chunk_at(0, "hello "), "hello "), 6u);
  EXPECT_FALSE(exists(at("file")));
  EXPECT_EQ(*uploads().status(whole(text)), 6u);
  EXPECT_EQ(*add(chunk_at(6, "world"), "world"), 11u);
  const auto entry = uploads().finish(whole(text));
  ASSERT_TRUE(entry) << to_string(entry.error());
  EXPECT_EQ(entry->name(), "file");
  EXPECT_EQ(entry->bytes(), 11u);
  EXPECT_EQ(read(at("file")), text);
  struct stat info {};
  ASSERT_EQ(stat(at("file").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kFolderUid);
  EXPECT_EQ(info.st_gid, kFolderUid);
  EXPECT_EQ(info.st_mode & 07777, 0644u);
}

TEST_F(UploadsTest, GoesOnAfterTheAgentCameBack) {
  const std::string text = "hello world";
  ASSERT_TRUE(uploads().begin(whole(text)));
  ASSERT_TRUE(add(chunk_at(0, "hello "), "hello "));
  open_all();
  EXPECT_EQ(*uploads().begin(whole(text)), 6u);
  ASSERT_TRUE(add(chunk_at(6, "world"), "world"));
  ASSERT_TRUE(uploads().finish(whole(text)));
  EXPECT_EQ(read(at("file")), text);
}

TEST_F(UploadsTest, GoesOnAfterAKillInMidChunk) {
  const std::string chunk(1 << 20, 'x');
  std::string text;
  for (int i = 0; i < 16; ++i) text += chunk;
  ASSERT_TRUE(uploads().begin(whole(text)));
  const pid_t writer = fork();
  if (writer == 0) {
    for (std::uint64_t at = 0; at < text.size(); at += chunk.size())
      if (!add(chunk_at(at, chunk), chunk)) _exit(1);
    _exit(0);
  }
  while (*uploads().status(whole(text)) < 2 * chunk.size()) usleep(1000);
  kill(writer, SIGKILL);
  ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
  const std::uint64_t offset = *uploads().status(whole(text));
  for (std::uint64_t done = offset; done < text.size();) {
    const std::string next = text.substr(done, 8 << 20);
    const auto added = add(chunk_at(done, next), next);
    ASSERT_TRUE(added) << to_string(added.error());
    done = *added;
  }
  ASSERT_TRUE(uploads().finish(whole(text)));
  EXPECT_TRUE(read(at("file")) == text);
}

TEST_F(UploadsTest, AFinishWhoseAnswerGotLostIsAskedAgain) {
  ASSERT_TRUE(uploads().begin(whole("x")));
  ASSERT_TRUE(add(chunk_at(0, "x"), "x"));
  ASSERT_TRUE(uploads().finish(whole("x")));
  EXPECT_EQ(*uploads().status(whole("x")), 1u);
  const auto again = uploads().finish(whole("x"));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->bytes(), 1u);
}

TEST_F(UploadsTest, AnEmptyFileIsFinishedAtOnce) {
  ASSERT_TRUE(uploads().begin(whole("")));
  ASSERT_TRUE(uploads().finish(whole("")));
  EXPECT_TRUE(exists(at("file")));
}

TEST_F(UploadsTest, WhatChangedOnItsWayIsRefusedAndNothingIsKeptOfIt) {
  ASSERT_TRUE(uploads().begin(whole("abc")));
  EXPECT_EQ(code(add(chunk_at(0, "abc"), "abd")), "checksum-differs");
  EXPECT_EQ(*uploads().status(whole("abc")), 0u);
  auto other = whole("abc", "other", 'o');
  other.set_sha256(sha256("xyz"));
  ASSERT_TRUE(uploads().begin(other));
  ASSERT_TRUE(add(chunk_at(0, "abc", 'o'), "abc"));
  EXPECT_EQ(code(uploads().finish(other)), "checksum-differs");
  EXPECT_FALSE(exists(at("other")));
}

TEST_F(UploadsTest, OfAFileWhoseHashIsKnownOnlyTheRestIsRead) {
  const auto finish = [&](const std::string& hashed, std::uint64_t bytes) {
    EXPECT_TRUE(uploads().abort(chunk_at(0, "")));
    EXPECT_TRUE(uploads().begin(whole("abcdef")));
    EXPECT_TRUE(add(chunk_at(0, "abcdef"), "abcdef"));
    HashSoFar so_far;
    so_far.hash.add(hashed);
    so_far.bytes = bytes;
    auto finishing = uploads().begin_finish(whole("abcdef"));
    EXPECT_TRUE(finishing);
    finishing->so_far = std::move(so_far);
    while (!*uploads().read_on(*finishing))
      ;
    const auto done = uploads().end_finish(std::move(*finishing));
    unlink(at("file").c_str());
    return code(done);
  };
  EXPECT_EQ(finish("", 0), "");
  EXPECT_EQ(finish("abc", 3), "");
  EXPECT_EQ(finish("abcdef", 6), "");
  EXPECT_EQ(finish("abX", 3), "checksum-differs");
  EXPECT_EQ(finish("abcdeX", 6), "checksum-differs");
  EXPECT_EQ(finish("abcdefghi", 9), "") << "of another file: all is read";
}

TEST_F(UploadsTest, AChunkOutOfTurnIsTold) {
  ASSERT_TRUE(uploads().begin(whole("abc")));
  EXPECT_EQ(code(add(chunk_at(1, "bc"), "bc")), "offset-differs");
  ASSERT_TRUE(add(chunk_at(0, "a"), "a"));
  EXPECT_EQ(code(add(chunk_at(0, "a"), "a")), "offset-differs");
  EXPECT_EQ(code(uploads().finish(whole("abc"))), "offset-differs");
  EXPECT_EQ(code(add(chunk_at(1, "bcd"), "bcd")), "upload-too-large");
}

TEST_F(UploadsTest, AChunkOfWhichNotAllCameIsWrittenOverByTheNext) {
  ASSERT_TRUE(uploads().begin(whole("abcdef")));
  ASSERT_TRUE(add(chunk_at(0, "ab"), "ab"));
  const auto cut = chunk_at(2, "cdef");
  {
    auto chunk = uploads().begin_chunk(cut);
    ASSERT_TRUE(chunk);
    ASSERT_TRUE(chunk->add("XYZ"));
    EXPECT_EQ(code(uploads().begin_chunk(cut)), "upload-busy");
    EXPECT_EQ(*uploads().status(whole("abcdef")), 2u) << "none of it is compared";
  }
  EXPECT_EQ(read(staged(".part")), "abXYZ") << "it has left something";
  EXPECT_EQ(*uploads().status(whole("abcdef")), 2u);
  ASSERT_TRUE(add(chunk_at(2, "c"), "c"));
  EXPECT_EQ(*uploads().status(whole("abcdef")), 3u);
  ASSERT_TRUE(add(chunk_at(3, "def"), "def"));
  ASSERT_TRUE(uploads().finish(whole("abcdef")));
  EXPECT_EQ(read(at("file")), "abcdef");
  EXPECT_FALSE(exists(staged(".offset")));
}

TEST_F(UploadsTest, AChunkOfAnotherLengthThanWasSaidIsNone) {
  ASSERT_TRUE(uploads().begin(whole("abcdef")));
  const auto three = chunk_at(0, "abc");
  {
    auto longer = uploads().begin_chunk(three);
    ASSERT_TRUE(longer);
    ASSERT_TRUE(longer->add("ab"));
    EXPECT_EQ(code(longer->add("cd")), "bad-request");
  }
  {
    auto shorter = uploads().begin_chunk(three);
    ASSERT_TRUE(shorter);
    ASSERT_TRUE(shorter->add("ab"));
    EXPECT_EQ(code(shorter->end()), "bad-request");
  }
  EXPECT_EQ(*uploads().status(whole("abcdef")), 0u);
}

TEST_F(UploadsTest, TheHashOfTheFileGoesOnWithGoodChunksOnly) {
  ASSERT_TRUE(uploads().begin(whole("abcdef")));
  HashSoFar so_far;
  for (const auto& [bytes, said] :
       {std::pair("abc", "abc"), std::pair("dXf", "def"), std::pair("def", "def")}) {
    auto chunk = uploads().begin_chunk(chunk_at(*uploads().status(whole("abcdef")), said));
    ASSERT_TRUE(chunk);
    ASSERT_TRUE(chunk->go_on(std::move(so_far)));
    ASSERT_TRUE(chunk->add(bytes));
    [[maybe_unused]] const auto end = chunk->end();
    so_far = chunk->whole();
  }
  EXPECT_EQ(so_far.bytes, 6u);
  EXPECT_EQ(so_far.hash.value(), sha256("abcdef"));
}

TEST_F(UploadsTest, TheHashOfAnotherBeginningIsNotGoneOnWith) {
  ASSERT_TRUE(uploads().begin(whole("abc")));
  auto chunk = uploads().begin_chunk(chunk_at(0, "abc"));
  ASSERT_TRUE(chunk);
  HashSoFar other;
  other.hash.add("xy");
  other.bytes = 2;
  ASSERT_TRUE(chunk->go_on(std::move(other)));
  ASSERT_TRUE(chunk->add("abc"));
  ASSERT_TRUE(chunk->end());
  HashSoFar so_far = chunk->whole();
  EXPECT_EQ(so_far.bytes, 3u);
  EXPECT_EQ(so_far.hash.value(), sha256("abc"));
}

TEST_F(UploadsTest, AChunkMayComeWithTheHashOfTheFileUpToItsEnd) {
  ASSERT_TRUE(uploads().begin(whole("abcdef")));
  HashSoFar so_far;
  const auto add_so_far = [&](const std::string& bytes, const std::string& hashed) {
    auto question = chunk_at(*uploads().status(whole("abcdef")), hashed);
    question.set_bytes(bytes.size());
    question.set_so_far(true);
    auto chunk = uploads().begin_chunk(question);
    EXPECT_TRUE(chunk);
    if (const auto known = chunk->go_on(so_far); !known) return known.error().code.word();
    EXPECT_TRUE(chunk->add(bytes));
    const auto end = chunk->end();
    so_far = chunk->whole();
    return code(end);
  };
  EXPECT_EQ(add_so_far("abX", "abc"), "checksum-differs");
  EXPECT_EQ(add_so_far("abc", "abc"), "");
  EXPECT_EQ(add_so_far("def", "def"), "checksum-differs") << "that is the chunk's own";
  so_far = {};
  EXPECT_EQ(add_so_far("def", "abcdef"), "checksum-unknown") << "the agent was started anew";
  EXPECT_EQ(*uploads().status(whole("abcdef")), 3u);
  ASSERT_TRUE(add(chunk_at(3, "def"), "def"));
  EXPECT_TRUE(uploads().finish(whole("abcdef")));
}

TEST_F(UploadsTest, WhatALossOfPowerTookIsSentOnceMore) {
  ASSERT_TRUE(uploads().begin(whole("abcdef")));
  ASSERT_TRUE(add(chunk_at(0, "abcd"), "abcd"));
  ASSERT_EQ(truncate(staged(".part").c_str(), 1), 0);
  EXPECT_EQ(*uploads().status(whole("abcdef")), 1u);
  ASSERT_EQ(truncate(staged(".offset").c_str(), 0), 0);
  EXPECT_EQ(*uploads().status(whole("abcdef")), 0u);
  write(staged(".offset"), "no number, but long\n\n\n");
  EXPECT_EQ(*uploads().status(whole("abcdef")), 0u);
  unlink(staged(".offset").c_str());
  EXPECT_EQ(*uploads().status(whole("abcdef")), 0u);
  ASSERT_TRUE(add(chunk_at(0, "abcdef"), "abcdef"));
  ASSERT_TRUE(uploads().finish(whole("abcdef")));
  EXPECT_EQ(read(at("file")), "abcdef");
}

TEST_F(UploadsTest, WhatIsThereIsKeptUnlessItIsToBeReplaced) {
  write(at("file"), "old");
  ASSERT_EQ(link(at("file").c_str(), at("link").c_str()), 0);
  EXPECT_EQ(code(uploads().begin(whole("new"))), "path-exists");
  auto over = whole("new");
  over.set_overwrite(true);
  ASSERT_TRUE(uploads().begin(over));
  ASSERT_TRUE(add(chunk_at(0, "new"), "new"));
  ASSERT_TRUE(uploads().finish(over));
  EXPECT_EQ(read(at("file")), "new");
  EXPECT_EQ(read(at("link")), "old");
}

TEST_F(UploadsTest, WhatAppearedMeanwhileIsNotReplaced) {
  ASSERT_TRUE(uploads().begin(whole("new")));
  ASSERT_TRUE(add(chunk_at(0, "new"), "new"));
  write(at("file"), "other");
  EXPECT_EQ(code(uploads().finish(whole("new"))), "path-exists");
  EXPECT_EQ(read(at("file")), "other");
}

TEST_F(UploadsTest, PathsThatCannotBeAreRefusedAtTheBeginning) {
  std::filesystem::create_directory(at("inner"));
  std::filesystem::create_symlink("/tmp", at("out"));
  auto over = whole("x", "inner");
  over.set_overwrite(true);
  EXPECT_EQ(code(uploads().begin(over)), "not-a-file");
  EXPECT_EQ(code(uploads().begin(whole("x", "none/x"))), "unknown-path");
  EXPECT_EQ(code(uploads().begin(whole("x", "out/x"))), "not-a-folder");
  EXPECT_EQ(code(uploads().begin(whole("x", "../x"))), "path-invalid");
  EXPECT_EQ(code(uploads().begin(whole("x", ""))), "path-invalid");
  auto large = whole("x");
  large.set_bytes((std::uint64_t{1} << 40) + 1);
  EXPECT_EQ(code(uploads().begin(large)), "upload-too-large");
  large.set_bytes(std::uint64_t{1} << 40);
  EXPECT_EQ(code(uploads().begin(large)), "volume-full");
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
}

TEST_F(UploadsTest, AnIdThatIsTakenOrNoneIsTold) {
  ASSERT_TRUE(uploads().begin(whole("abc")));
  EXPECT_EQ(code(uploads().begin(whole("xyz"))), "upload-differs");
  EXPECT_EQ(code(uploads().status(whole("abc", "file", 'n'))), "unknown-upload");
  EXPECT_EQ(code(add(chunk_at(0, "a", 'n'), "a")), "unknown-upload");
  EXPECT_EQ(code(uploads().finish(whole("abc", "file", 'n'))), "unknown-upload");
  auto bad = whole("abc");
  bad.set_upload("../../x");
  EXPECT_EQ(code(uploads().begin(bad)), "bad-request");
}

TEST_F(UploadsTest, OneQuestionAtATimeWritesAnUpload) {
  ASSERT_TRUE(uploads().begin(whole("abc")));
  const int other = ::open(staged(".part").c_str(), O_RDWR);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  EXPECT_EQ(code(add(chunk_at(0, "a"), "a")), "upload-busy");
  EXPECT_EQ(code(uploads().finish(whole("abc"))), "upload-busy");
  close(other);
  EXPECT_TRUE(add(chunk_at(0, "a"), "a"));
}

TEST_F(UploadsTest, AnAbortedOneLeavesNothing) {
  ASSERT_TRUE(uploads().begin(whole("abc")));
  ASSERT_TRUE(uploads().abort(whole("abc")));
  ASSERT_TRUE(uploads().abort(whole("abc")));
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
}

TEST_F(UploadsTest, TooManyAtOnceAreRefused) {
  for (std::size_t i = 0; i < kUploadsOfFolderMax; ++i)
    ASSERT_TRUE(uploads().begin(whole("x", "file", static_cast<char>(i + 1))));
  EXPECT_EQ(code(uploads().begin(whole("x", "file", 'z' + 5))), "too-many-uploads");
}

TEST_F(UploadsTest, OneThatNobodyGoesOnWithIsRemovedAfterADayAndAnotherStays) {
  ASSERT_TRUE(uploads().begin(whole("abc", "old", 'o')));
  ASSERT_TRUE(uploads().begin(whole("abc", "new", 'n')));
  make_old({".part", ".offset", ".about"}, 25 * kHour, 'o');
  drop_old_uploads(root, kUploadKept);
  EXPECT_EQ(code(uploads().status(whole("abc", "old", 'o'))), "unknown-upload");
  EXPECT_TRUE(uploads().status(whole("abc", "new", 'n')));
  EXPECT_EQ(entries_in(root + "/staging"), 3u);
}

TEST_F(UploadsTest, OneToWhichAHashWasSaidALittleLaterIsRemovedAsAWhole) {
  ASSERT_TRUE(uploads().begin(whole("abc")));
  write(at("file"), "old");
  make_old({".part", ".offset"}, 25 * kHour);
  drop_old_uploads(root, kUploadKept);
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
  EXPECT_EQ(code(uploads().finish(whole("abc"))), "unknown-upload");
}

TEST_F(UploadsTest, AmongTooManyTheOneToWhichNothingComesGivesWay) {
  for (std::size_t i = 0; i < kUploadsOfFolderMax; ++i)
    ASSERT_TRUE(uploads().begin(whole("x", "file", static_cast<char>(i + 1))));
  make_old({".part"}, kUploadGivesWayAfter - kMinute, 7);
  EXPECT_EQ(code(uploads().begin(whole("x", "file", 'z' + 5))), "too-many-uploads");
  make_old({".part"}, kUploadGivesWayAfter + kMinute, 8);
  ASSERT_TRUE(uploads().begin(whole("x", "file", 'z' + 5)));
  EXPECT_EQ(code(uploads().status(whole("x", "file", 8))), "unknown-upload");
  EXPECT_TRUE(uploads().status(whole("x", "file", 7)));
  ASSERT_EQ(unlink(staged(".about", 9).c_str()), 0);
  EXPECT_TRUE(uploads().begin(whole("x", "file", 9))) << "of a begin that was cut short, which has its place";
  make_old({".part"}, kUploadGivesWayAfter + 2 * kMinute, 1);
  make_old({".part"}, kUploadGivesWayAfter + kMinute, 2);
  const auto worked_on = uploads().begin_chunk(chunk_at(0, "x", 1));
  ASSERT_TRUE(worked_on);
  EXPECT_TRUE(uploads().begin(whole("x", "file", 'z' + 6))) << "the next one gives way";
  EXPECT_EQ(code(uploads().status(whole("x", "file", 2))), "unknown-upload");
}

TEST_F(UploadsTest, OfAFolderThatIsRemovedGoWithIt) {
  ASSERT_TRUE(uploads().begin(whole("abc")));
  ASSERT_TRUE(uploads().begin(whole("", "empty", 'e')));
  ASSERT_TRUE(uploads().finish(whole("", "empty", 'e')));
  ASSERT_TRUE(volumes->remove(id(), folder_id(1)));
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
  EXPECT_EQ(entries_in(root + "/uploaded"), 0u);
}

// A file system of its own, so small that it fills up.
class FullVolume : public UploadsTest {
 protected:
  FullVolume() {
    folder = {};
    volumes.reset();
    std::filesystem::remove_all(root);
    std::filesystem::create_directory(root);
    mounted = mount("none", root.c_str(), "tmpfs", 0, "size=1m") == 0;
    if (mounted) open_all();
  }
  ~FullVolume() override {
    folder = {};
    volumes.reset();
    if (mounted) umount(root.c_str());
  }
  bool mounted = false;
};

TEST_F(FullVolume, InMidUploadLosesNothingAndTheUploadGoesOnWhenThereIsRoom) {
  if (!mounted) GTEST_SKIP() << "needs root";
  write(at("kept"), "kept");
  const std::string half(400 << 10, 'x');
  ASSERT_TRUE(uploads().begin(whole(half + half)));
  ASSERT_TRUE(add(chunk_at(0, half), half));
  write(at("large"), std::string(400 << 10, 'y'));
  EXPECT_EQ(code(add(chunk_at(half.size(), half), half)), "volume-full");
  EXPECT_EQ(*uploads().status(whole(half + half)), half.size());
  EXPECT_EQ(read(at("kept")), "kept");
  std::filesystem::remove(at("large"));
  ASSERT_TRUE(add(chunk_at(half.size(), half), half));
  ASSERT_TRUE(uploads().finish(whole(half + half)));
  EXPECT_EQ(read(at("file")), half + half);
}

}  // namespace
}  // namespace berth::agents
