// The files of folders through an agent's services, over a real socket.
#include <fcntl.h>
#include <sys/stat.h>

#include "agents/services/file_route.h"
#include "events/base/files/sha256.h"
#include "tests/unit/agent_services/visitor.h"
#include "tests/unit/volumes/volume_rig.h"

namespace berth::agents {
namespace {

class FileServiceTest : public VolumeTest {
 public:
  ~FileServiceTest() override {
    if (client) client->stop();
    if (server) server->stop();
    if (files) files->stop();
    server.reset();
    io.restart();
    io.poll();
  }

 protected:
  void serve(FileLimits limits = {}) {
    open();
    EXPECT_TRUE(volumes->make(id(), folder_id(1)));
    files = std::make_unique<FileService>(*volumes, limits);
    server = std::make_unique<ServiceServer>(tunnel::agent_signer(), KernelRoutes(), files->route());
    const auto address = server->start("127.0.0.1:0");
    ASSERT_TRUE(address.ok());
    client = std::make_unique<tunnel::Client>(boost::asio::make_strand(io), tunnel::agent_signer(), *address);
  }
  std::unique_ptr<Visitor> ask(FileOperation operation, const v1::FileQuestion& question,
                               std::uint8_t folder = 1) {
    return std::make_unique<Visitor>(io, *client, to_path({id(), folder_id(folder), operation, question}));
  }
  std::string how(FileOperation operation, const v1::FileQuestion& question, std::uint8_t folder = 1) {
    return ask(operation, question, folder)->how();
  }
  v1::FileAnswer answer(FileOperation operation, const v1::FileQuestion& question) {
    const auto visitor = ask(operation, question);
    EXPECT_EQ(visitor->how(), "ended");
    v1::FileAnswer told;
    EXPECT_TRUE(told.ParseFromString(visitor->out));
    return told;
  }
  static v1::FileQuestion of_path(const std::string& path) {
    v1::FileQuestion question;
    question.set_path(path);
    return question;
  }
  static v1::FileQuestion whole(const std::string& text) {
    v1::FileQuestion question = of_path("file");
    question.set_upload(std::string(16, 'u'));
    question.set_bytes(text.size());
    question.set_sha256(sha256(text));
    return question;
  }
  static v1::FileQuestion chunk_at(std::uint64_t offset, const std::string& chunk) {
    v1::FileQuestion question = whole(chunk);
    question.set_offset(offset);
    return question;
  }
  static std::string sha256(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.value();
  }
  std::unique_ptr<Visitor> add(std::uint64_t offset, const std::string& chunk) {
    auto visitor = ask(FileOperation::kUploadChunk, chunk_at(offset, chunk));
    visitor->say(chunk).finish();
    return visitor;
  }
  std::string at(const std::string& path) const { return folder_path(1) + "/" + path; }
  std::string staged(const char* end) const {
    return root + "/staging/" + to_hex(folder_id(1).view()) + "." + to_hex(std::string(16, 'u')) + end;
  }
  std::uintmax_t written() const { return std::filesystem::file_size(staged(".part")); }

  std::unique_ptr<FileService> files;
  tunnel::asio::io_context io;
  std::unique_ptr<ServiceServer> server;
  std::unique_ptr<tunnel::Client> client;
};

TEST_F(FileServiceTest, ListsMakesRenamesAndRemoves) {
  serve();
  EXPECT_EQ(how(FileOperation::kMakeFolder, of_path("a")), "ended");
  auto move = of_path("a");
  move.set_to("b");
  EXPECT_EQ(how(FileOperation::kRename, move), "ended");
  write(at("c"), "12");
  const auto listed = answer(FileOperation::kList, of_path(""));
  ASSERT_EQ(listed.entries_size(), 2);
  EXPECT_EQ(listed.entries(0).name(), "b");
  EXPECT_EQ(listed.entries(0).type(), v1::FOLDER);
  EXPECT_EQ(listed.entries(1).bytes(), 2u);
  EXPECT_EQ(answer(FileOperation::kStat, of_path("c")).entries(0).name(), "c");
  EXPECT_EQ(how(FileOperation::kRemove, of_path("b")), "ended");
  EXPECT_FALSE(exists(at("b")));
}

TEST_F(FileServiceTest, ARefusalHasItsStatus) {
  serve();
  std::filesystem::create_directory(at("inner"));
  mkfifo(at("pipe").c_str(), 0666);
  EXPECT_EQ(how(FileOperation::kStat, of_path("none")), "404 unknown-path");
  EXPECT_EQ(how(FileOperation::kStat, of_path("../x")), "422 path-invalid");
  EXPECT_EQ(how(FileOperation::kMakeFolder, of_path("inner")), "409 path-exists");
  EXPECT_EQ(how(FileOperation::kRead, of_path("inner")), "409 not-a-file");
  EXPECT_EQ(how(FileOperation::kRead, of_path("pipe")), "409 not-a-file");
  EXPECT_EQ(how(FileOperation::kList, of_path(""), 2), "404 unknown-folder");
  Visitor other(io, *client, to_path({{}, folder_id(1), FileOperation::kList, {}}));
  EXPECT_EQ(other.how(), "404 unknown-volume");
  Visitor unknown(io, *client, "/volumes/00/folders/00/files/list?q=");
  EXPECT_EQ(unknown.how(), "404 unknown-service");
}

TEST_F(FileServiceTest, AFileIsReadWholeAndInRanges) {
  serve();
  const std::string text(1'000'000, 'x');
  write(at("file"), text + "end");
  const auto all = ask(FileOperation::kRead, of_path("file"));
  EXPECT_EQ(all->how(), "ended");
  EXPECT_TRUE(all->out == text + "end");
  ASSERT_EQ(all->headers.size(), 1u);
  EXPECT_EQ(all->headers[0].first, kFileEntryHeader);
  auto range = of_path("file");
  range.set_offset(text.size());
  range.set_length(2);
  const auto part = ask(FileOperation::kRead, range);
  EXPECT_EQ(part->how(), "ended");
  EXPECT_EQ(part->out, "en");
  range.set_offset(text.size() + 4);
  EXPECT_EQ(how(FileOperation::kRead, range), "416 range-invalid");
}

TEST_F(FileServiceTest, OfASparseFileOfATerabyteARangeIsRead) {
  serve();
  const int sparse = ::open(at("sparse").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(ftruncate(sparse, 1ll << 40), 0);
  ASSERT_EQ(pwrite(sparse, "end", 3, (1ll << 40) - 3), 3);
  close(sparse);
  auto range = of_path("sparse");
  range.set_offset((std::uint64_t{1} << 40) - 5);
  const auto part = ask(FileOperation::kRead, range);
  EXPECT_EQ(part->how(), "ended");
  EXPECT_EQ(part->out, std::string("\0\0end", 5));
}

TEST_F(FileServiceTest, AReaderThatDoesNotReadHoldsUpNobodyElse) {
  FileLimits limits;
  limits.threads = 1;
  serve(limits);
  write(at("file"), std::string(4'000'000, 'x'));
  const auto slow = ask(FileOperation::kRead, of_path("file"));
  slow->reads = false;
  ASSERT_TRUE(slow->await_open());
  EXPECT_EQ(how(FileOperation::kStat, of_path("file")), "ended");
  slow->read_on();
  EXPECT_EQ(slow->how(), "ended");
  EXPECT_EQ(slow->came.bytes(), 4'000'000u);
}

TEST_F(FileServiceTest, AFileThatIsCutShortWhileItIsReadIsNoWholeAnswer) {
  serve();
  write(at("file"), std::string(4'000'000, 'x'));
  const auto reader = ask(FileOperation::kRead, of_path("file"));
  reader->reads = false;
  ASSERT_TRUE(reader->await_open());
  ASSERT_EQ(truncate(at("file").c_str(), 10), 0);
  reader->read_on();
  EXPECT_EQ(reader->how(), "stream-reset");
}

TEST_F(FileServiceTest, AnUploadGoesOnWithAnotherLifeOfTheAgent) {
  const std::string first(3'000'000, 'a'), second(2'000'000, 'b');
  serve();
  EXPECT_EQ(answer(FileOperation::kUploadBegin, whole(first + second)).offset(), 0u);
  EXPECT_EQ(add(0, first)->how(), "ended");
  client->stop();
  server->stop();
  files->stop();
  server.reset();
  serve();
  EXPECT_EQ(answer(FileOperation::kUploadStatus, whole(first + second)).offset(), first.size());
  EXPECT_EQ(add(first.size(), second)->how(), "ended");
  const auto done = answer(FileOperation::kUploadFinish, whole(first + second));
  EXPECT_EQ(done.entries(0).bytes(), first.size() + second.size());
  EXPECT_TRUE(read(at("file")) == first + second);
}

TEST_F(FileServiceTest, TheHashOfTheFileUpToAChunksEndIsTakenUnlessTheAgentWasStartedAnew) {
  serve();
  const auto so_far = [&](std::uint64_t offset, const std::string& chunk, const std::string& hashed) {
    auto question = chunk_at(offset, chunk);
    question.set_so_far(true);
    question.set_sha256(sha256(hashed));
    const auto visitor = ask(FileOperation::kUploadChunk, question);
    visitor->say(chunk).finish();
    return visitor->how();
  };
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole("abcdefg")), "ended");
  EXPECT_EQ(so_far(0, "ab", "ab"), "ended");
  EXPECT_EQ(so_far(2, "xx", "abcd"), "422 checksum-differs");
  EXPECT_EQ(so_far(2, "cd", "abcd"), "ended");
  client->stop();
  server->stop();
  files->stop();
  server.reset();
  serve();
  EXPECT_EQ(so_far(4, "ef", "abcdef"), "409 checksum-unknown");
  EXPECT_EQ(add(4, "ef")->how(), "ended");
  EXPECT_EQ(so_far(6, "g", "abcdefg"), "409 checksum-unknown") << "of what came before nothing is known yet";
  EXPECT_EQ(add(6, "g")->how(), "ended");
  EXPECT_EQ(how(FileOperation::kUploadFinish, whole("abcdefg")), "ended");
}

TEST_F(FileServiceTest, AChunkOutOfTurnIsToldWhereToGoOn) {
  serve();
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole("abc")), "ended");
  EXPECT_EQ(add(0, "a")->how(), "ended");
  const auto again = add(0, "a");
  EXPECT_EQ(again->how(), "409 offset-differs");
  v1::ServiceError error;
  ASSERT_TRUE(error.ParseFromString(again->out));
  EXPECT_EQ(error.offset(), 1u);
  const auto early = ask(FileOperation::kUploadFinish, whole("abc"));
  EXPECT_EQ(early->how(), "409 offset-differs");
  ASSERT_TRUE(error.ParseFromString(early->out));
  EXPECT_EQ(error.offset(), 1u);
}

TEST_F(FileServiceTest, AChunkThatIsCutShortOrTooLongChangesNothing) {
  serve();
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole("abc")), "ended");
  for (const char* body : {"a", "abcd", ""}) {
    const auto visitor = ask(FileOperation::kUploadChunk, chunk_at(0, "abc"));
    visitor->say(body).finish();
    EXPECT_EQ(visitor->how(), "400 bad-request") << body;
  }
  auto large = chunk_at(0, "abc");
  large.set_bytes(kUploadChunkBytesMax + 1);
  EXPECT_EQ(how(FileOperation::kUploadChunk, large), "413 upload-too-large");
  EXPECT_EQ(answer(FileOperation::kUploadStatus, whole("abc")).offset(), 0u);
}

TEST_F(FileServiceTest, MoreThanItTakesIsRefusedAndTakenLater) {
  FileLimits limits;
  limits.chunks_max = 1;
  serve(limits);
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole("abc")), "ended");
  auto waiting = ask(FileOperation::kUploadChunk, chunk_at(0, "abc"));
  waiting->say("a");
  EXPECT_EQ(how(FileOperation::kStat, of_path("")), "ended");  // the first has been taken by now
  EXPECT_EQ(add(0, "abc")->how(), "503 agent-busy");
  waiting->say("bc").finish();
  EXPECT_EQ(waiting->how(), "ended");
}

TEST_F(FileServiceTest, AChunkThatDoesNotComeGivesWayToOneForWhichThereIsNoRoom) {
  FileLimits limits;
  limits.chunks_max = 1;
  limits.patience = {};
  serve(limits);
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole("abc")), "ended");
  const auto stalls = ask(FileOperation::kUploadChunk, chunk_at(0, "abc"));
  stalls->say("a");
  EXPECT_EQ(how(FileOperation::kStat, of_path("")), "ended");  // the first has been taken by now
  EXPECT_EQ(add(0, "abc")->how(), "ended");
  EXPECT_EQ(stalls->how(), "503 agent-busy");
  stalls->say("bc").finish();
  EXPECT_EQ(answer(FileOperation::kUploadStatus, whole("abc")).offset(), 3u);
}

TEST_F(FileServiceTest, AReaderThatDoesNotReadGivesWayToAQuestionForWhichThereIsNoRoom) {
  FileLimits limits;
  limits.open_max = 1;
  limits.patience = {};
  serve(limits);
  write(at("file"), std::string(4'000'000, 'x'));
  const auto stalls = ask(FileOperation::kRead, of_path("file"));
  stalls->reads = false;
  ASSERT_TRUE(stalls->await_open());
  std::string told = "503 agent-busy";  // until the reader's window is full
  for (int i = 0; i < 10'000 && told == "503 agent-busy"; ++i)
    told = how(FileOperation::kStat, of_path("file"));
  EXPECT_EQ(told, "ended");
  stalls->read_on();
  EXPECT_EQ(stalls->how(), "stream-reset");
}

TEST_F(FileServiceTest, AFileThatIsReadOnceMoreBeforeItAppearsHoldsUpNobodyElse) {
  FileLimits limits;
  limits.threads = 1;
  serve(limits);
  constexpr std::uint64_t kLarge = 1ull << 30;
  auto large = whole("");
  large.set_bytes(kLarge);
  EXPECT_EQ(how(FileOperation::kUploadBegin, large), "ended");
  ASSERT_EQ(truncate(staged(".part").c_str(), kLarge), 0);
  write(staged(".offset"), "00000000001073741824\n");
  const auto finish = ask(FileOperation::kUploadFinish, large);
  EXPECT_EQ(how(FileOperation::kStat, of_path("")), "ended");
  EXPECT_EQ(finish->status, 0) << "it was waited for";
  EXPECT_EQ(how(FileOperation::kUploadFinish, large), "409 upload-busy");
}

TEST_F(FileServiceTest, AChunkToWhichNothingComesGivesWayToAnotherOfTheSameUpload) {
  FileLimits limits;
  limits.lost_after = {};
  serve(limits);
  const std::string text((64u << 10) + 1, 'x');
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole(text)), "ended");
  const auto lost = ask(FileOperation::kUploadChunk, chunk_at(0, text));
  lost->say(std::string(text.size() - 1, 'y'));
  ASSERT_TRUE(lost->await([&] { return written() == text.size() - 1; }));
  EXPECT_EQ(add(0, text)->how(), "ended");
  EXPECT_EQ(lost->how(), "409 upload-busy");
  EXPECT_EQ(how(FileOperation::kUploadFinish, whole(text)), "ended");
  EXPECT_TRUE(read(at("file")) == text);
}

TEST_F(FileServiceTest, AsLongAsAChunkComesAnotherOfTheSameUploadIsRefused) {
  FileLimits limits;
  limits.lost_after = std::chrono::hours(1);
  serve(limits);
  const std::string text((64u << 10) + 1, 'x');
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole(text)), "ended");
  const auto first = ask(FileOperation::kUploadChunk, chunk_at(0, text));
  first->say(text.substr(1));
  ASSERT_TRUE(first->await([&] { return written() == text.size() - 1; }));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(add(0, text)->how(), "409 upload-busy");
  first->say("x").finish();
  EXPECT_EQ(first->how(), "ended");
  EXPECT_EQ(add(0, text)->how(), "409 offset-differs");
}

TEST_F(FileServiceTest, AnUploadIsAbortedInMidChunk) {
  serve();
  const std::string text((64u << 10) + 1, 'x');
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole(text)), "ended");
  const auto lost = ask(FileOperation::kUploadChunk, chunk_at(0, text));
  lost->say(std::string(text.size() - 1, 'y'));
  ASSERT_TRUE(lost->await([&] { return written() == text.size() - 1; }));
  EXPECT_EQ(how(FileOperation::kUploadAbort, whole(text)), "ended");
  EXPECT_EQ(lost->how(), "409 upload-busy");
  EXPECT_EQ(entries_in(root + "/staging"), 0u);
}

TEST_F(FileServiceTest, AChunkIsWrittenWhileItComes) {
  serve();
  const std::string text(kUploadChunkBytesMax, 'x');
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole(text)), "ended");
  const auto slow = ask(FileOperation::kUploadChunk, chunk_at(0, text));
  slow->say(text.substr(1));
  ASSERT_TRUE(slow->await([&] { return written() >= text.size() - (64u << 10); }));
  EXPECT_EQ(answer(FileOperation::kUploadStatus, whole(text)).offset(), 0u);
  slow->say("x").finish();
  EXPECT_EQ(slow->how(), "ended");
  EXPECT_EQ(how(FileOperation::kUploadFinish, whole(text)), "ended");
}

TEST_F(FileServiceTest, WhoGoesAwayInMidChunkLeavesItsPlace) {
  FileLimits limits;
  limits.chunks_max = 1;
  serve(limits);
  EXPECT_EQ(how(FileOperation::kUploadBegin, whole("abc")), "ended");
  auto gone = ask(FileOperation::kUploadChunk, chunk_at(0, "abc"));
  gone->say("a");
  EXPECT_EQ(how(FileOperation::kStat, of_path("")), "ended");
  gone->reset();
  std::string told;
  do told = add(0, "abc")->how();
  while (told == "503 agent-busy");
  EXPECT_EQ(told, "ended");
}

}  // namespace
}  // namespace berth::agents
