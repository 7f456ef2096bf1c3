// The files of folders over the API: what an agent is asked, and what of its answers a client gets.
#include <gtest/gtest.h>

#include <deque>

#include "controller/api/auth/signature.h"
#include "controller/api/folders/file_path.h"
#include "controller/api/folders/file_range.h"
#include "events/base/hex.h"
#include "tests/unit/api/support/api_rig.h"
#include "tests/unit/api/support/some_folders.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

class Files : public ::testing::Test {
 protected:
  Files() {
    rig.cell.append(agent_with_volumes("v1", {"local"}));
    for (const v1::Event& event :
         {folder_of("f1", "data", "alice"), folder_is_ready("f1"), folder_of("f2", "notes", "bob"),
          folder_is_ready("f2"), folder_shared_with("f1", "user", "bob", "read")})
      rig.cell.append({event});
  }
  api::HttpReply ask(const std::string& method, const std::string& target, const std::string& body = "",
                     const std::string& key = "alice-key") {
    return rig.ask({.method = method, .target = target, .body = body, .key = key});
  }
  std::string code(const std::string& method, const std::string& target, const std::string& body = "",
                   const std::string& key = "alice-key") {
    const auto reply = ask(method, target, body, key);
    return reply.status < 300 ? std::to_string(reply.status) : ApiRig::code_of(reply);
  }
  FileServicePath last() {
    const auto asked = rig.cell.files.asked();
    EXPECT_FALSE(asked.empty());
    return asked.empty() ? FileServicePath() : asked.back().what;
  }
  void answers(FakeFileAnswer answer) {
    rig.cell.files.answer = [answer = std::move(answer)](const FakeFiles::Asked&) { return answer; };
  }
  void refuses(const std::string& why, std::uint64_t offset = 0) {
    FakeFileAnswer out;
    out.refused = make_error(Code::told(why), "the agent says no", "");
    out.offset = offset;
    answers(out);
  }
  ApiRig rig;
};

// All that a reply's stream has, until its end.
std::string drained(const api::HttpReply& reply) {
  std::string out;
  for (bool end = reply.stream == nullptr; !end;) {
    std::promise<api::FrameStream::Batch> promise;
    reply.stream->next([&](api::FrameStream::Batch batch) { promise.set_value(std::move(batch)); });
    const auto batch = promise.get_future().get();
    for (const auto& frame : batch.frames) out += *frame;
    end = batch.end;
  }
  return out;
}

TEST_F(Files, AreListedByTheAgentThatHasTheVolume) {
  v1::FileAnswer answer;
  *answer.add_entries() = file_entry("a.txt", 5);
  auto* folder = answer.add_entries();
  folder->set_name("sub");
  folder->set_type(v1::FOLDER);
  folder->set_mode(0750);
  answer.set_next("sub");
  answer.set_not_utf8(2);
  answers(answer_with(answer));
  const auto reply = ask("GET", "/v1/folders/data/files?path=a/b&after=x&limit=2");
  ASSERT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(ApiRig::json_of(reply), json::parse(R"({"items": [
      {"name": "a.txt", "type": "file", "bytes": 5, "modified_at": "2026-01-01T00:00:00Z", "mode": "0644"},
      {"name": "sub", "type": "folder", "bytes": 0, "modified_at": "1970-01-01T00:00:00Z", "mode": "0750"}],
      "next": "sub", "not_utf8": 2})"));
  EXPECT_EQ(last().operation, FileOperation::kList);
  EXPECT_EQ(last().folder, FolderId(id_of("f1")));
  EXPECT_EQ(last().volume, VolumeId(id_of("volume local")));
  EXPECT_EQ(last().question.path(), "a/b");
  EXPECT_EQ(last().question.after(), "x");
  EXPECT_EQ(last().question.limit(), 2u);
  EXPECT_EQ(rig.cell.files.asked().back().question.agent, "v1");
}

TEST_F(Files, AreMadeRenamedAndRemoved) {
  EXPECT_EQ(code("POST", "/v1/folders/data/files", R"({"op": "mkdir", "path": "a"})"), "200");
  EXPECT_EQ(last().operation, FileOperation::kMakeFolder);
  EXPECT_EQ(code("POST", "/v1/folders/data/files", R"({"op": "rename", "path": "a", "to": "b/c"})"), "200");
  EXPECT_EQ(last().operation, FileOperation::kRename);
  EXPECT_EQ(last().question.to(), "b/c");
  EXPECT_EQ(code("POST", "/v1/folders/data/files", R"({"op": "remove", "path": "b", "recursive": true})"),
            "200");
  EXPECT_EQ(last().operation, FileOperation::kRemove);
  EXPECT_TRUE(last().question.recursive());
  for (const char* body : {R"({"op": "rename", "path": "a"})", R"({"op": "mkdir"})", R"({"path": "a"})"})
    EXPECT_EQ(code("POST", "/v1/folders/data/files", body), "missing-field") << body;
  EXPECT_EQ(code("POST", "/v1/folders/data/files", R"({"op": "chmod", "path": "a"})"), "invalid-value");
}

TEST_F(Files, APathStaysInItsFolder) {
  for (const char* path : {"..", "a/../b", "/etc/passwd", "a//b", "./a", "a/", "."}) {
    const auto reply = ask("GET", "/v1/folders/data/files?path=" + std::string(path));
    EXPECT_EQ(ApiRig::code_of(reply), "path-invalid") << path;
    EXPECT_EQ(reply.status, 422u) << path;
    EXPECT_EQ(code("GET", "/v1/folders/data/file?path=" + std::string(path)), "path-invalid") << path;
    EXPECT_EQ(
        code("POST", "/v1/folders/data/files", R"({"op": "mkdir", "path": ")" + std::string(path) + "\"}"),
        "path-invalid")
        << path;
  }
  EXPECT_TRUE(rig.cell.files.asked().empty());
}

TEST_F(Files, TheAgentsRefusalsComeWithTheirStatus) {
  for (const auto& [why, status] : {std::pair{"unknown-path", 404u},
                                    {"path-exists", 409u},
                                    {"not-a-folder", 409u},
                                    {"not-a-file", 409u},
                                    {"folder-not-empty", 409u},
                                    {"volume-full", 507u},
                                    {"upload-too-large", 413u},
                                    {"volume-failed", 500u},
                                    {"agent-busy", 503u},
                                    {"agent-unreachable", 503u}}) {
    refuses(why);
    const auto reply = ask("GET", "/v1/folders/data/files");
    EXPECT_EQ(reply.status, status) << why;
    EXPECT_EQ(ApiRig::code_of(reply), why);
  }
  EXPECT_TRUE(rig.cell.files.await_closed());
}

TEST_F(Files, AnAnswerThatIsNoneIsTheAgentsFault) {
  FakeFileAnswer garbled;
  garbled.body = "\xff\xff\xff";
  answers(garbled);
  EXPECT_EQ(code("GET", "/v1/folders/data/files"), "agent-answer-invalid");
  FakeFileAnswer endless;
  endless.body = std::string(3u << 20, 'x');
  answers(endless);
  EXPECT_EQ(code("GET", "/v1/folders/data/files"), "agent-answer-invalid");
}

// ---- who may ----

TEST_F(Files, WhoMayReadChangesNothing) {
  FakeFileAnswer file;
  file.entry = file_entry("a", 1);
  file.body = "x";
  answers(file);
  EXPECT_EQ(code("GET", "/v1/folders/data/file?path=a", "", "bob-key"), "200");
  answers({});
  EXPECT_EQ(code("GET", "/v1/folders/data/files", "", "bob-key"), "200");
  const auto asked = rig.cell.files.asked().size();
  const std::string upload = "/v1/folders/data/uploads/" + hex_id("u");
  const std::string begin = R"({"path": "a", "bytes": 1, "sha256": ")" + std::string(64, 'a') + "\"}";
  for (const auto& [method, target, body] :
       {std::tuple<const char*, std::string, std::string>{"POST", "/v1/folders/data/files",
                                                          R"({"op": "mkdir", "path": "a"})"},
        {"POST", "/v1/folders/data/uploads", begin},
        {"GET", upload, ""},
        {"PUT", upload + "?offset=0", "x"},
        {"POST", upload + "/finish", ""},
        {"DELETE", upload, ""}})
    EXPECT_EQ(code(method, target, body, "bob-key"), "folder-read-only") << method << target;
  EXPECT_EQ(rig.cell.files.asked().size(), asked);
}

TEST_F(Files, ASuperadminSeesTheFolderAndReadsNoFile) {
  const std::string path = "/v1/folders/" + hex_id("f1");
  EXPECT_EQ(code("GET", path, "", "admin-key"), "200");
  const auto reply = ask("GET", path + "/files", "", "admin-key");
  EXPECT_EQ(reply.status, 403u);
  EXPECT_EQ(ApiRig::code_of(reply), "folder-not-accessible");
  EXPECT_EQ(code("GET", path + "/file?path=a", "", "admin-key"), "folder-not-accessible");
  EXPECT_TRUE(rig.cell.files.asked().empty());
}

TEST_F(Files, OfAFolderThatTheCallerDoesNotSeeAreNotThere) {
  EXPECT_EQ(code("GET", "/v1/folders/notes/files"), "unknown-folder");
  EXPECT_EQ(code("GET", "/v1/folders/" + hex_id("f2") + "/file?path=a"), "unknown-folder");
}

TEST_F(Files, AKeyPairThatOnlyReadsReadsFiles) {
  v1::Event reads = with_secret(key_pair_defined("reads", "alice"), secret_of("reads"));
  reads.mutable_key_pair_defined()->set_read_only(true);
  rig.cell.append({reads});
  EXPECT_EQ(code("GET", "/v1/folders/data/files", "", "reads"), "200");
  EXPECT_EQ(code("POST", "/v1/folders/data/files", R"({"op": "mkdir", "path": "a"})", "reads"),
            "key-read-only");
  EXPECT_EQ(code("PUT", "/v1/folders/data/uploads/" + hex_id("u") + "?offset=0", "x", "reads"),
            "key-read-only");
}

TEST_F(Files, AreReachedInAReadyFolderWhoseVolumeSomebodyHas) {
  rig.cell.append({folder_of("f3", "fresh", "alice")});
  EXPECT_EQ(code("GET", "/v1/folders/fresh/files"), "folder-not-ready");
  rig.cell.append({agent_lost("v1")});
  EXPECT_EQ(code("GET", "/v1/folders/data/files"), "volume-unavailable");
  rig.cell.append(agent_with_volumes("v2", {"local"}));
  EXPECT_EQ(code("GET", "/v1/folders/data/files"), "200");
  EXPECT_EQ(rig.cell.files.asked().back().question.agent, "v2");
}

// ---- a file's bytes ----

class FileBytes : public Files {
 protected:
  FileBytes() {
    rig.cell.files.answer = [this](const FakeFiles::Asked& asked) {
      FakeFileAnswer out;
      const v1::FileQuestion& question = asked.what.question;
      if (asked.what.operation == FileOperation::kStat) {
        v1::FileAnswer stat;
        *stat.add_entries() = file_entry("model.bin", content.size());
        return answer_with(stat);
      }
      out.entry = file_entry("model.bin", content.size());
      out.body =
          content.substr(question.offset(), question.length() == 0 ? std::string::npos : question.length());
      out.piece = 7;
      return out;
    };
  }
  api::HttpReply get(const std::string& range = "", const std::string& if_range = "") {
    auto request =
        rig.request({.target = "/v1/folders/data/file?path=results/model.bin", .key = "alice-key"});
    request.range = range;
    request.if_range = if_range;
    return rig.send(request);
  }
  std::string content = "0123456789abcdefghij";
};

TEST_F(FileBytes, AFileIsSavedAndNeverShown) {
  const auto reply = get();
  EXPECT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(reply.content_type, "application/octet-stream");
  EXPECT_EQ(ApiRig::header_of(reply, "Content-Disposition"),
            "attachment; filename=\"model.bin\"; filename*=UTF-8''model.bin");
  EXPECT_EQ(ApiRig::header_of(reply, "Content-Security-Policy"), "sandbox; default-src 'none'");
  EXPECT_EQ(ApiRig::header_of(reply, "ETag"), "\"t1\"");
  EXPECT_EQ(reply.stream_bytes, content.size());
  EXPECT_EQ(drained(reply), content);
}

TEST_F(FileBytes, ARangeIsAPartOfIt) {
  const auto part = [&](const std::string& range) {
    const auto reply = get(range);
    return std::to_string(reply.status) + " " + ApiRig::header_of(reply, "Content-Range") + " " +
           drained(reply);
  };
  EXPECT_EQ(part("bytes=3-5"), "206 bytes 3-5/20 345");
  EXPECT_EQ(part("bytes=15-"), "206 bytes 15-19/20 fghij");
  EXPECT_EQ(part("bytes=-4"), "206 bytes 16-19/20 ghij");
  EXPECT_EQ(part("bytes=10-99"), "206 bytes 10-19/20 abcdefghij");
  EXPECT_EQ(part("bytes=0-1,4-5"), "200  " + content) << "several are not understood";
  EXPECT_EQ(part("lines=1-2"), "200  " + content);
}

TEST_F(FileBytes, APartOfAnotherVersionIsNotSent) {
  EXPECT_EQ(drained(get("bytes=3-5", "\"t1\"")), "345");
  EXPECT_EQ(drained(get("bytes=3-5", "\"t0\"")), content);
}

TEST_F(FileBytes, OneThatTheClientHasIsNotSentAgain) {
  auto request = rig.request({.target = "/v1/folders/data/file?path=model.bin", .key = "alice-key"});
  request.if_none_match = "\"t1\"";
  EXPECT_EQ(rig.send(request).status, 304u);
}

TEST_F(FileBytes, AnEmptyFileHasNoPart) {
  content.clear();
  const auto reply = get("bytes=0-");
  EXPECT_EQ(reply.status, 200u);
  EXPECT_EQ(reply.stream_bytes, 0u);
  EXPECT_EQ(drained(reply), "");
}

TEST_F(FileBytes, AStreamEndsEarlyWhenTheAgentIsLostOrTheShareIsWithdrawn) {
  FakeFileAnswer lost;
  lost.entry = file_entry("model.bin", 20);
  lost.body = "01234";
  lost.breaks = true;
  answers(lost);
  EXPECT_EQ(drained(get()), "01234");

  FakeFileAnswer slow;
  slow.entry = file_entry("model.bin", 20);
  slow.body = content;
  slow.piece = 5;
  answers(slow);
  const auto reply = ask("GET", "/v1/folders/data/file?path=model.bin", "", "bob-key");
  ASSERT_NE(reply.stream, nullptr);
  std::promise<std::size_t> first;
  reply.stream->next([&](const api::FrameStream::Batch& batch) { first.set_value(batch.frames[0]->size()); });
  EXPECT_EQ(first.get_future().get(), 5u);
  rig.cell.append({folder_shared_with("f1", "user", "bob", "none")});
  rig.cell.test_clock.wall += 2 * kSecond;
  EXPECT_EQ(drained(reply), "");
}

TEST_F(FileBytes, ADownloadHoldsTheAgentsStreamUntilItsEnd) {
  {
    const auto reply = get();
    EXPECT_EQ(rig.cell.files.open(), 1);
  }
  EXPECT_TRUE(rig.cell.files.await_closed());
}

TEST(FilePaths, ADownloadsNameStandsInAHeader) {
  EXPECT_EQ(api::disposition_of("a/b\"\r\n<x>.html"),
            "attachment; filename=\"b____x_.html\"; filename*=UTF-8''b%22%0D%0A%3Cx%3E.html");
  EXPECT_EQ(api::disposition_of("\xEA\xB0\x80"), "attachment; filename=\"___\"; filename*=UTF-8''%EA%B0%80");
}

TEST(FileRanges, AreReadOrLeftAlone) {
  for (const char* text : {"", "bytes", "bytes=", "bytes=-", "bytes=5", "bytes=5-3", "bytes=a-b", "bytes=-0",
                           "bytes= 1-2", "bytes=1-2,3-4", "bytes=99999999999999999999-", "Bytes=1-2"})
    EXPECT_FALSE(api::file_range_in(text)) << text;
  EXPECT_EQ(api::file_range_in("bytes=5-5")->length, 1u);
}

// ---- uploads ----

std::string begin_body(const std::string& more = "") {
  return R"({"path": "a/b.bin", "bytes": 5, "sha256": ")" + std::string(64, 'a') + "\"" + more + "}";
}

TEST_F(Files, AnUploadBeginsOnceForOneIdempotencyKey) {
  v1::FileAnswer at;
  at.set_offset(3);
  answers(answer_with(at));
  const auto begin = [&](const std::string& once) {
    return ApiRig::json_of(rig.ask({.method = "POST",
                                    .target = "/v1/folders/data/uploads",
                                    .body = begin_body(R"(, "overwrite": true)"),
                                    .key = "alice-key",
                                    .idempotency_key = once}));
  };
  const auto first = begin("once");
  EXPECT_EQ(first.at("offset").as_int64(), 3);
  EXPECT_EQ(first.at("upload").as_string().size(), 32u);
  EXPECT_EQ(last().operation, FileOperation::kUploadBegin);
  EXPECT_EQ(last().question.path(), "a/b.bin");
  EXPECT_EQ(last().question.bytes(), 5u);
  EXPECT_EQ(last().question.sha256(), std::string(32, '\xaa'));
  EXPECT_TRUE(last().question.overwrite());
  EXPECT_EQ(api::hex_of(*Uuid::from_bytes(last().question.upload())), first.at("upload").as_string());
  EXPECT_EQ(begin("once").at("upload"), first.at("upload"));
  EXPECT_NE(begin("twice").at("upload"), first.at("upload"));
  EXPECT_EQ(code("POST", "/v1/folders/data/uploads", R"({"path": "a", "bytes": 5, "sha256": "xyz"})"),
            "invalid-value");
  EXPECT_EQ(code("POST", "/v1/folders/data/uploads", R"({"path": "a", "bytes": 5})"), "200");
  EXPECT_EQ(last().question.sha256(), "") << "to be said at the end";
  EXPECT_EQ(code("POST", "/v1/folders/data/uploads",
                 R"({"path": "a", "bytes": -1, "sha256": ")" + std::string(64, 'a') + "\"}"),
            "invalid-value");
}

TEST_F(Files, AChunkGoesToTheAgentWithTheHashThatWasSigned) {
  v1::FileAnswer at;
  at.set_offset(12);
  answers(answer_with(at));
  const std::string target = "/v1/folders/data/uploads/" + hex_id("u") + "?offset=7";
  const auto reply = ask("PUT", target, "hello");
  ASSERT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(ApiRig::json_of(reply), json::parse(R"({"offset": 12})"));
  EXPECT_EQ(last().operation, FileOperation::kUploadChunk);
  EXPECT_EQ(last().question.offset(), 7u);
  EXPECT_EQ(last().question.bytes(), 5u);
  EXPECT_EQ(to_hex(last().question.sha256()), api::sha256_hex("hello"));
  EXPECT_EQ(last().question.upload(), wire("u"));
  EXPECT_EQ(rig.cell.files.asked().back().body, "hello");
  EXPECT_TRUE(rig.cell.files.await_closed());
}

// A body that comes piece by piece, as the test gives it.
class GivenBody final : public api::BodyStream {
 public:
  explicit GivenBody(std::function<std::string()> next) : next_(std::move(next)) {}
  void read(Read done) override { done(next_()); }

 private:
  std::function<std::string()> next_;
};

TEST_F(Files, NothingMoreOfAChunkIsPassedOnWhenTheShareIsWithdrawn) {
  rig.cell.append({folder_shared_with("f1", "user", "bob", "write")});
  const auto request = rig.request({.method = "PUT",
                                    .target = "/v1/folders/data/uploads/" + hex_id("u") + "?offset=0",
                                    .body = "hello",
                                    .key = "bob-key"});
  const auto send = [&](bool withdraw) {
    auto admitted = rig.api.admit(request);
    EXPECT_FALSE(admitted.refusal);
    std::promise<std::string> told;
    rig.api.handle(admitted.call, std::make_shared<GivenBody>([&, reads = 0]() mutable -> std::string {
                     if (++reads == 1) return "hel";
                     if (reads == 2 && withdraw) {
                       rig.cell.append({folder_shared_with("f1", "user", "bob", "read")});
                       rig.cell.test_clock.wall += 2 * kSecond;
                     }
                     return reads == 2 ? "lo" : "";
                   }),
                   [&](const api::HttpReply& reply) {
                     told.set_value(reply.status == 200 ? "" : ApiRig::code_of(reply));
                   });
    return told.get_future().get();
  };
  answers(answer_with({}));
  EXPECT_EQ(send(false), "");
  EXPECT_EQ(send(true), "access-lost");
  EXPECT_TRUE(rig.cell.files.await_closed());
  ASSERT_EQ(rig.cell.files.asked().size(), 2u);
  EXPECT_EQ(rig.cell.files.asked()[0].body, "hello");
  EXPECT_EQ(rig.cell.files.asked()[1].body, "") << "the agent was told that the chunk had ended";
}

TEST_F(Files, AChunkMayComeWithTheHashOfTheFileSoFar) {
  const std::string target = "/v1/folders/data/uploads/" + hex_id("u") + "?offset=7";
  for (const auto& [said, so_far] :
       {std::pair("", false), {"&so_far=true", true}, {"&so_far=false", false}}) {
    answers(answer_with({}));
    EXPECT_EQ(ask("PUT", target + said, "hello").status, 200u);
    EXPECT_EQ(last().question.so_far(), so_far);
    EXPECT_TRUE(rig.cell.files.await_closed());
  }
  EXPECT_EQ(ApiRig::code_of(ask("PUT", target + "&so_far=perhaps", "hello")), "invalid-parameter");
}

TEST_F(Files, AChunkWithAnotherHashThanTheSignedOneIsRefused) {
  auto request = rig.request({.method = "PUT",
                              .target = "/v1/folders/data/uploads/" + hex_id("u") + "?offset=0",
                              .body = "hello",
                              .key = "alice-key"});
  request.chunk_hash = api::sha256_hex("other");
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "body-hash-mismatch");
  EXPECT_TRUE(rig.cell.files.asked().empty());
}

TEST_F(Files, AChunkThatTheAgentRefusesIsToldWithWhereToGoOn) {
  FakeFileAnswer early;
  early.refused = make_error("offset-differs", "the upload is elsewhere", "");
  early.offset = 42;
  early.at_once = true;
  answers(early);
  const auto reply = ask("PUT", "/v1/folders/data/uploads/" + hex_id("u") + "?offset=7", "hello");
  EXPECT_EQ(reply.status, 409u);
  EXPECT_EQ(ApiRig::json_of(reply).at("code").as_string(), "offset-differs");
  EXPECT_EQ(ApiRig::json_of(reply).at("offset").as_int64(), 42);
}

TEST_F(Files, AnUploadIsAskedForFinishedAndGivenUp) {
  const std::string path = "/v1/folders/data/uploads/" + hex_id("u");
  v1::FileAnswer at;
  at.set_offset(9);
  answers(answer_with(at));
  EXPECT_EQ(ApiRig::json_of(ask("GET", path)), json::parse(R"({"offset": 9})"));
  EXPECT_EQ(last().operation, FileOperation::kUploadStatus);
  v1::FileAnswer done;
  *done.add_entries() = file_entry("b.bin", 9);
  answers(answer_with(done));
  EXPECT_EQ(ApiRig::json_of(ask("POST", path + "/finish")), json::parse(R"({"name": "b.bin", "bytes": 9})"));
  EXPECT_EQ(last().operation, FileOperation::kUploadFinish);
  EXPECT_EQ(last().question.sha256(), "");
  ask("POST", path + "/finish", R"({"sha256": ")" + std::string(64, 'b') + R"("})");
  EXPECT_EQ(last().question.sha256(), std::string(32, '\xbb'));
  EXPECT_EQ(code("POST", path + "/finish", R"({"sha256": "xyz"})"), "invalid-value");
  answers({});
  EXPECT_EQ(code("DELETE", path), "200");
  EXPECT_EQ(last().operation, FileOperation::kUploadAbort);
  refuses("checksum-differs");
  EXPECT_EQ(ask("POST", path + "/finish").status, 422u);
  EXPECT_EQ(code("GET", "/v1/folders/data/uploads/nothing"), "unknown-upload");
  EXPECT_EQ(code("PUT", path, "x"), "invalid-parameter") << "without an offset";
}

}  // namespace
}  // namespace berth::testing
