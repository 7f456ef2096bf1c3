// berth folder files, mkdir, mv, remove and cp, with a server that keeps files in memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "ops/cli/folders/download.h"
#include "ops/cli/folders/folder_path.h"
#include "ops/cli/folders/patience.h"
#include "ops/cli/folders/upload.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/cli/fake_folder.h"
#include "tests/unit/copy/copy_rig.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

class FolderCopying : public ::testing::Test {
 protected:
  FolderCopying() {
    w.server.answer = [this](const HttpRequest& request) { return server.answer(request); };
    w.descriptors = {descriptor("stdin"), descriptor("stdout"), descriptor("stderr")};
    fs::create_directories(here());
  }
  ~FolderCopying() override {
    for (const int open : {w.descriptors.in, w.descriptors.out, w.descriptors.err}) ::close(open);
  }

  int descriptor(const char* name) const {
    return ::open((root.path() / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  }
  fs::path here() const { return root.path() / "here"; }
  std::string at(const std::string& name) const { return (here() / name).string(); }
  Ran cp(const std::string& from, const std::string& to, const Names& more = {}) {
    Names words{"folder", "cp", from, to};
    words.insert(words.end(), more.begin(), more.end());
    w.server.requests.clear();
    w.server.pauses_ms.clear();
    return w.run(words);
  }
  std::size_t asked(const std::string& method, const std::string& part) const {
    return static_cast<std::size_t>(std::ranges::count_if(w.server.requests, [&](const auto& request) {
      return request.method == method && request.target.find(part) != std::string::npos;
    }));
  }
  Names names_here() const {
    Names names;
    for (const auto& entry : fs::recursive_directory_iterator(here()))
      names.push_back(entry.path().lexically_relative(here()).string());
    std::sort(names.begin(), names.end());
    return names;
  }

  testing::TempDir root;
  FakeFolder server;
  FakeWorld w;
};

// No two chunks of it are alike.
std::string bytes_of(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t x = 1;
  for (char& c : bytes) c = static_cast<char>((x = x * 1'664'525 + 1'013'904'223) >> 24);
  return bytes;
}

TEST_F(FolderCopying, AFileGoesInChunksAndIsThereWhole) {
  const std::string bytes = bytes_of(Upload::kChunkMax + 3);
  copy::write(at("a"), bytes);
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out + ran.err, "");
  EXPECT_EQ(server.files, (std::map<std::string, std::string>{{"a", bytes}}));
  EXPECT_EQ(asked("PUT", "?offset="), 2u);
  EXPECT_EQ(server.own_hashes, 0) << "each byte is hashed once";
  EXPECT_EQ(server.chunk_most, Upload::kChunkMax);
  EXPECT_EQ(server.uploads(), 0u);
}

TEST_F(FolderCopying, TheNameIsTheOneSaidOrItsOwnInAFolder) {
  copy::write(at("a"), "x");
  server.folders = {"", "sub"};
  for (const auto& [to, path] :
       std::vector<std::pair<std::string, std::string>>{{"data:", "a"},
                                                        {"data:b", "b"},
                                                        {"data:/b", "b"},
                                                        {"data:sub", "sub/a"},
                                                        {"data:sub/", "sub/a"},
                                                        {"data:./sub//c", "sub/c"}}) {
    server.files.clear();
    EXPECT_EQ(cp(at("a"), to).exit, 0) << to;
    EXPECT_TRUE(server.files.contains(path)) << to;
  }
  const auto nowhere = cp(at("a"), "data:none/b");
  EXPECT_EQ(nowhere.exit, kNotFound);
  EXPECT_NE(nowhere.err.find("unknown-path"), std::string::npos) << nowhere.err;
}

TEST_F(FolderCopying, AnEmptyFileGoesBothWays) {
  copy::write(at("a"), "");
  EXPECT_EQ(cp(at("a"), "data:e").exit, 0);
  EXPECT_EQ(server.files.at("e"), "");
  EXPECT_EQ(cp("data:e", at("b")).exit, 0);
  EXPECT_TRUE(fs::exists(at("b")));
  EXPECT_EQ(copy::read(at("b")), "");
}

TEST_F(FolderCopying, AChunkWhoseAnswerWasLostIsNotSentTwice) {
  const std::string bytes = bytes_of(Upload::kChunkMax + 5);
  copy::write(at("a"), bytes);
  int lost = 0;
  server.after = [&](const HttpRequest& request) -> FakeFolder::Answer {
    return FakeFolder::is_chunk(request) && ++lost <= 1 ? FakeFolder::cut() : std::nullopt;
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(server.files.at("a"), bytes);
}

TEST_F(FolderCopying, WhereTheServerKnowsNoHashOfWhatItHasAChunkComesWithItsOwn) {
  const std::string bytes = bytes_of(4 * Upload::kChunkMax);
  copy::write(at("a"), bytes);
  int chunks = 0;
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (FakeFolder::is_chunk(request) && ++chunks == 3) server.knows_no_hash = true;
    return std::nullopt;
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(server.files.at("a"), bytes);
  EXPECT_EQ(server.own_hashes, 2);
  EXPECT_EQ(chunks, 5) << "one was sent once more";
}

TEST_F(FolderCopying, AnUploadThatIsCutGoesOnWithSmallerChunks) {
  const std::string bytes = bytes_of(2 * Upload::kChunkMax);
  copy::write(at("a"), bytes);
  int chunks = 0;
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    // Longer than the API's own tries of one call.
    return FakeFolder::is_chunk(request) && ++chunks > 1 && chunks < 14 ? FakeFolder::cut() : std::nullopt;
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(server.files.at("a"), bytes);
  EXPECT_NE(ran.err.find("trying again"), std::string::npos) << ran.err;
  EXPECT_LT(w.server.requests[w.server.requests.size() - 2].body.size(), Upload::kChunkMax);
  EXPECT_GT(server.own_hashes, 0) << "the hash of the file had gone on beyond them";
}

TEST_F(FolderCopying, AnUploadThatGetsNoFurtherIsGivenUp) {
  copy::write(at("a"), "x");
  server.before = [](const HttpRequest& request) -> FakeFolder::Answer {
    return FakeFolder::is_chunk(request) ? FakeFolder::cut() : std::nullopt;
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, kUnreachable) << ran.err;
  EXPECT_TRUE(server.files.empty());
  EXPECT_LE(w.server.pauses_ms.size(), 6u * (Patience::kAttemptsMax + 1));
}

TEST_F(FolderCopying, AServerThatStandsStillIsGivenUp) {
  copy::write(at("a"), "x");
  server.before = [](const HttpRequest& request) -> FakeFolder::Answer {
    if (!FakeFolder::is_chunk(request)) return std::nullopt;
    return Result<HttpReply>(json_reply(R"({"offset": 0})"));
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, kTimeout);
  EXPECT_NE(ran.err.find("upload-stuck"), std::string::npos) << ran.err;
}

TEST_F(FolderCopying, AnUploadThatTheServerForgotBeginsAgain) {
  const std::string bytes = bytes_of(Upload::kChunkMax + 5);
  copy::write(at("a"), bytes);
  int chunks = 0;
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (FakeFolder::is_chunk(request) && ++chunks == 2) server.forget_uploads();
    return std::nullopt;
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(server.files.at("a"), bytes);
}

TEST_F(FolderCopying, AFinishWhoseAnswerWasLostIsNotDoneTwice) {
  copy::write(at("a"), "once");
  bool lost = false;
  server.after = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (!request.target.ends_with("/finish") || std::exchange(lost, true)) return std::nullopt;
    return FakeFolder::cut();
  };
  const auto ran = cp(at("a"), "data:", {"-n"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(server.files.at("a"), "once");
  EXPECT_EQ(asked("PUT", ""), 1u);
}

TEST_F(FolderCopying, AnUploadThatIsStillWorkedOnIsWaitedFor) {
  copy::write(at("a"), "slow");
  int chunks = 0, finishes = 0;
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    const bool busy = (FakeFolder::is_chunk(request) && ++chunks < 3) ||
                      (request.target.ends_with("/finish") && ++finishes < 30);
    return busy ? FakeFolder::Answer(Result<HttpReply>(problem(409, "upload-busy"))) : std::nullopt;
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(server.files.at("a"), "slow");
}

TEST_F(FolderCopying, AFileThatChangesUnderwayIsNotTaken) {
  copy::write(at("a"), bytes_of(100));
  const auto before = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const bool set_back : {false, true}) {
    SCOPED_TRACE(set_back);
    fs::last_write_time(at("a"), before);
    server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
      if (!request.target.ends_with("/uploads")) return std::nullopt;
      copy::write(at("a"), std::string(100, 'z'));
      if (set_back) fs::last_write_time(at("a"), before);
      return std::nullopt;
    };
    const auto ran = cp(at("a"), "data:");
    EXPECT_EQ(ran.exit, kFailed);
    EXPECT_NE(ran.err.find("file-changed"), std::string::npos) << ran.err;
    EXPECT_TRUE(server.files.empty());
    EXPECT_EQ(server.uploads(), 0u);  // it was taken back
  }
}

TEST_F(FolderCopying, AFileThatDoesNotKnowItsSizeIsNotTakenForAnEmptyOne) {
  const auto ran = cp("/proc/self/status", "data:");
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("file-size-unknown"), std::string::npos) << ran.err;
  EXPECT_TRUE(server.files.empty());
  EXPECT_EQ(server.uploads(), 0u);
}

TEST_F(FolderCopying, AnotherFileOfTheSameSizeIsNotTakenForTheOneThatWasSent) {
  copy::write(at("a"), "new");
  server.files["a"] = "old";
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (!request.target.ends_with("/finish")) return std::nullopt;
    return Result<HttpReply>(problem(404, "unknown-upload"));
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, kNotFound);
  EXPECT_NE(ran.err.find("unknown-upload"), std::string::npos) << ran.err;
}

TEST_F(FolderCopying, AFileThatDoesNotFitIsRefusedBeforeAnyOfItIsRead) {
  copy::write(at("a"), "");
  fs::resize_file(at("a"), std::uintmax_t{1} << 40);  // reading it takes minutes
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (!request.target.ends_with("/uploads")) return std::nullopt;
    return Result<HttpReply>(problem(507, "volume-full"));
  };
  const auto ran = cp(at("a"), "data:");
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("volume-full"), std::string::npos) << ran.err;
}

TEST_F(FolderCopying, CtrlCTakesTheUploadBack) {
  int removes = 0;
  copy::write(at("a"), "x");
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (FakeFolder::is_chunk(request)) return Result<HttpReply>(interrupted_error());
    const bool busy = request.method == "DELETE" && removes++ < 3;  // the chunk is still being dropped
    return busy ? FakeFolder::Answer(Result<HttpReply>(problem(409, "upload-busy"))) : std::nullopt;
  };
  EXPECT_EQ(cp(at("a"), "data:").exit, kFailed);
  EXPECT_EQ(server.uploads(), 0u);
}

TEST_F(FolderCopying, AFolderGoesWithAllButLinksAndWhatIsNoFile) {
  fs::create_directories(here() / "tree/sub/deep");
  copy::write(at("tree/a"), "1");
  copy::write(at("tree/sub/deep/b"), "2");
  fs::create_symlink("a", at("tree/link"));
  ASSERT_EQ(::mkfifo(at("tree/fifo").c_str(), 0600), 0);
  copy::write(at("tree/\xff"), "3");
  const auto ran = cp(at("tree"), "data:", {"-r"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_EQ(server.files, (std::map<std::string, std::string>{{"tree/a", "1"}, {"tree/sub/deep/b", "2"}}));
  for (const char* said : {"tree/link: is a symbolic link", "tree/fifo: is neither a file nor a folder",
                           "its name is no UTF-8", "left-out"})
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
  fs::remove_all(at("tree/link")), fs::remove(at("tree/fifo")), fs::remove(at("tree/\xff"));
  const auto again = cp(at("tree") + "/.", "data:copy", {"-r"});  // what is in it, under another name
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_TRUE(server.files.contains("copy/sub/deep/b"));
  EXPECT_EQ(cp(at("tree"), "data:", {"-r"}).exit, 0);  // merged with what is there
}

TEST_F(FolderCopying, ALinkOrAFolderAloneIsRefusedBeforeAnythingIsSent) {
  copy::write(at("a"), "1");
  fs::create_symlink("a", at("link"));
  const auto link = cp(at("link"), "data:");
  EXPECT_EQ(link.exit, kUsage);
  EXPECT_NE(link.err.find("symbolic link"), std::string::npos) << link.err;
  EXPECT_EQ(cp(here().string(), "data:").exit, kUsage);
  EXPECT_EQ(cp(at("none"), "data:").exit, kUsage);
  EXPECT_EQ(asked("POST", ""), 0u);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"a", "b"}, {"data:a", "data:b"}, {"data:../a", "."}, {"-", "data:"}, {"data:", "-"}}) {
    EXPECT_EQ(cp(from, to).exit, kUsage) << from << " " << to;
    EXPECT_TRUE(w.server.requests.empty()) << from << " " << to;
  }
}

TEST_F(FolderCopying, StdinBecomesAFile) {
  copy::write(root.path() / "stdin", "from a pipe");
  const auto ran = cp("-", "data:log");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(server.files.at("log"), "from a pipe");
}

TEST_F(FolderCopying, NoOverwriteKeepsWhatIsThereOnBothSides) {
  copy::write(at("a"), "new");
  server.files["a"] = "old";
  const auto in = cp(at("a"), "data:", {"-n"});
  EXPECT_EQ(in.exit, kConflict);
  EXPECT_EQ(server.files.at("a"), "old");
  EXPECT_EQ(cp("data:a", at("a"), {"--no-overwrite"}).exit, kConflict);
  EXPECT_EQ(copy::read(at("a")), "new");
  EXPECT_EQ(names_here(), Names{"a"});
}

TEST_F(FolderCopying, AFileComesInRangesAndGoesOnAfterACut) {
  const std::string bytes = bytes_of(Download::kRangeMax + 5);
  server.files["a"] = bytes;
  int ranges = 0;
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    return FakeFolder::is_range(request) && ++ranges > 1 && ranges < 14 ? FakeFolder::cut() : std::nullopt;
  };
  const auto ran = cp("data:a", here().string());
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(copy::read(at("a")), bytes);
  EXPECT_EQ(names_here(), Names{"a"});
  EXPECT_TRUE(header_of(w.server.requests.back(), "Range").starts_with("bytes=")) << ran.err;
  EXPECT_FALSE(header_of(w.server.requests.back(), "Range").starts_with("bytes=0-"));
}

TEST_F(FolderCopying, ADownloadThatIsGivenUpLeavesWhatWasThere) {
  copy::write(at("a"), "old");
  server.files["a"] = bytes_of(Download::kRangeMax + 5);
  int ranges = 0;
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    return FakeFolder::is_range(request) && ++ranges > 1 ? FakeFolder::cut() : std::nullopt;
  };
  EXPECT_EQ(cp("data:a", at("a")).exit, kUnreachable);
  EXPECT_EQ(copy::read(at("a")), "old");
  EXPECT_EQ(names_here(), Names{"a"});
}

TEST_F(FolderCopying, AFileThatChangesWhileItComesIsTakenAnew) {
  server.files["a"] = bytes_of(Download::kRangeMax + 5);
  const std::string changed = std::string(Download::kRangeMax + 9, 'z');
  int ranges = 0;
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (FakeFolder::is_range(request) && ++ranges == 2) server.files["a"] = changed;
    return std::nullopt;
  };
  const auto ran = cp("data:a", at("b"));
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(copy::read(at("b")), changed);
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (FakeFolder::is_range(request)) server.files["a"] += "more";
    return std::nullopt;
  };
  const auto never = cp("data:a", at("c"));
  EXPECT_EQ(never.exit, kFailed);
  EXPECT_NE(never.err.find("file-changed"), std::string::npos) << never.err;
  EXPECT_EQ(names_here(), Names{"b"});
}

TEST_F(FolderCopying, AFileThatBecomesShorterIsTakenAnew) {
  server.files["a"] = bytes_of(Download::kRangeMax + 5);
  int ranges = 0;
  server.before = [&](const HttpRequest& request) -> FakeFolder::Answer {
    if (FakeFolder::is_range(request) && ++ranges == 2) server.files["a"] = "short";
    return std::nullopt;
  };
  EXPECT_EQ(cp("data:a", at("b")).exit, 0);
  EXPECT_EQ(copy::read(at("b")), "short");
}

TEST_F(FolderCopying, ALinkInTheWayIsReplacedAndNotFollowed) {
  server.files["a"] = "new";
  copy::write(root.path() / "outside", "untouched");
  fs::create_symlink(root.path() / "outside", at("a"));
  EXPECT_EQ(cp("data:a", here().string()).exit, 0);
  EXPECT_EQ(copy::read(root.path() / "outside"), "untouched");
  EXPECT_EQ(copy::read(at("a")), "new");
  EXPECT_FALSE(fs::is_symlink(at("a")));
}

TEST_F(FolderCopying, AFolderComesWithAllThatIsFilesAndFolders) {
  server.files = {{"sub/a", "1"}, {"sub/b", "2"}, {"sub/c", "3"}, {"sub/deep/d", "4"}};
  server.folders = {"", "sub", "sub/deep", "sub/empty"};
  EXPECT_EQ(cp("data:sub", here().string()).exit, kUsage);
  const auto ran = cp("data:sub", here().string(), {"-r"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(names_here(), (Names{"sub", "sub/a", "sub/b", "sub/c", "sub/deep", "sub/deep/d", "sub/empty"}));
  EXPECT_EQ(copy::read(at("sub/deep/d")), "4");
  EXPECT_EQ(cp("data:", at("all"), {"-r"}).exit, 0);
  EXPECT_EQ(copy::read(at("all/sub/c")), "3");
}

TEST_F(FolderCopying, NamesThatLeadOutAreLeftOut) {
  server.files = {{"a", "1"}};
  for (const char* name : {"../evil", "..", "/etc/evil", "", "x/y"})
    server.strange.push_back(boost::json::object{{"name", name}, {"type", "file"}, {"bytes", 1}});
  server.strange.push_back(boost::json::object{{"name", "pipe"}, {"type", "other"}, {"bytes", 0}});
  server.not_utf8 = 2;
  const auto ran = cp("data:", at("all"), {"-r"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("left-out"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("2 names in it are no UTF-8"), std::string::npos) << ran.err;
  EXPECT_EQ(names_here(), (Names{"all", "all/a"}));
  EXPECT_FALSE(fs::exists(root.path() / "evil"));
}

TEST_F(FolderCopying, AFolderThatIsALinkHereIsNotGoneInto) {
  server.files = {{"sub/a", "1"}};
  server.folders = {"", "sub"};
  fs::create_directories(root.path() / "outside");
  fs::create_directories(here() / "data");
  fs::create_symlink(root.path() / "outside", at("data/sub"));
  const auto ran = cp("data:", here().string(), {"-r"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("sub: no folder can be made here"), std::string::npos) << ran.err;
  EXPECT_TRUE(fs::is_empty(root.path() / "outside"));
}

TEST_F(FolderCopying, AFileGoesToStdout) {
  server.files["a"] = "for a pipe";
  const auto ran = cp("data:a", "-");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(copy::read(root.path() / "stdout"), "for a pipe");
}

TEST_F(FolderCopying, WhatIsNoRangeIsNotTaken) {
  server.files["a"] = "x";
  server.before = [](const HttpRequest& request) -> FakeFolder::Answer {
    if (!FakeFolder::is_range(request)) return std::nullopt;
    return Result<HttpReply>(HttpReply{
        206, {{"content-type", "application/octet-stream"}, {"content-range", "bytes 5-5/6"}}, "x"});
  };
  const auto ran = cp("data:a", at("a"));
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("not-berth"), std::string::npos) << ran.err;
  EXPECT_TRUE(names_here().empty());
}

TEST(FolderFilesCommands, ListAndChangeWhatIsInAFolder) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    return json_reply(request.method == "GET" ? R"({"items": [
        {"name": "out.csv", "type": "file", "bytes": 1536, "modified_at": "2026-01-01T00:00:00Z", "mode": 420},
        {"name": "sub", "type": "folder", "bytes": 4096, "modified_at": "2026-01-01T00:00:00Z", "mode": 493}],
        "next": null, "not_utf8": 1})"
                                              : "{}");
  };
  const auto ran = w.run({"folder", "files", "data", "results"});
  EXPECT_EQ(ran.out,
            "NAME        SIZE  MODIFIED\n"
            "out.csv  1.5 KiB  2026-01-01 00:00:00Z\n"
            "sub/           -  2026-01-01 00:00:00Z\n");
  EXPECT_NE(ran.err.find("1 more"), std::string::npos) << ran.err;
  EXPECT_EQ(w.server.requests.back().target, "/v1/folders/data/files?path=results&limit=1000");
  w.run({"folder", "files", "data:results"});
  EXPECT_EQ(w.server.requests.back().target, "/v1/folders/data/files?path=results&limit=1000");
  for (const auto& [words, body] : std::vector<std::pair<Names, std::string>>{
           {{"mkdir", "data:a/b"}, R"({"op":"mkdir","path":"a/b"})"},
           {{"mv", "data:a", "data:b"}, R"({"op":"rename","path":"a","to":"b"})"},
           {{"mv", "data:x/a", "data:sub/"}, R"({"op":"rename","path":"x/a","to":"sub/a"})"},
           {{"remove", "data:a"}, R"({"op":"remove","path":"a"})"},
           {{"remove", "-r", "data:a/"}, R"({"op":"remove","path":"a","recursive":true})"}}) {
    Names all{"folder"};
    all.insert(all.end(), words.begin(), words.end());
    const auto changed = w.run(all);
    EXPECT_EQ(changed.exit, 0) << changed.err;
    EXPECT_EQ(w.server.requests.back().target, "/v1/folders/data/files");
    EXPECT_EQ(w.server.requests.back().body, body);
  }
  w.server.requests.clear();
  for (const auto& words : std::vector<Names>{{"mkdir", "data"},
                                              {"mkdir", "data:"},
                                              {"remove", "data:", "-r"},
                                              {"remove", "data:../x"},
                                              {"mv", "data:a", "b"},
                                              {"mv", "data:a", "other:b"}}) {
    Names all{"folder"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(w.run(all).exit, kUsage) << words[0] << " " << words[1];
  }
  EXPECT_TRUE(w.server.requests.empty());
}

TEST(FolderPathText, IsReadAsPeopleTypeIt) {
  EXPECT_TRUE(is_in_folder("data:"));
  EXPECT_TRUE(is_in_folder("data:/a:b"));
  EXPECT_FALSE(is_in_folder("./a:b"));
  EXPECT_FALSE(is_in_folder(":a"));
  EXPECT_FALSE(is_in_folder("data"));
  const auto path = folder_path("data:/a/./b//c/");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->folder + " " + path->path + " " + path->name(), "data a/b/c c");
  EXPECT_TRUE(path->is_folder);
  EXPECT_EQ(folder_path("data:")->name(), "data");
  EXPECT_FALSE(folder_path("data:a/b")->is_folder);
  EXPECT_FALSE(folder_path("data:a/..b/..").operator bool());
  EXPECT_EQ(folder_path("data:..b")->path, "..b");
}

}  // namespace
}  // namespace berth::cli
