// /v1/folders/{folder}/uploads: a file that comes in chunks, and is on disk and appears whole under its path
// when it is finished. After a cut the upload goes on where the agent says.
#include "controller/api/auth/trimmed.h"
#include "controller/api/folders/chunk_relay.h"
#include "controller/api/folders/file_path.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/folders/folder_lookup.h"
#include "controller/api/map/json_reader.h"
#include "events/base/hash.h"
#include "events/base/hex.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::FolderAccess;
using projections::Noun;
using projections::Verb;

constexpr std::chrono::seconds kUploadPatience{15};
constexpr std::chrono::seconds kFinishPatience{110};  // the agent may have to read the whole file
constexpr std::size_t kSha256Bytes = 32;

std::optional<std::string> sha256_in(std::string_view hex) {
  auto bytes = from_hex(hex);
  return bytes && bytes->size() == kSha256Bytes ? std::move(bytes) : std::nullopt;
}

// Of the whole file; empty: it is not said.
std::string read_sha256(ObjectReader& in) {
  const auto hash = in.text("sha256", kTextMax);
  if (!hash) return {};
  const auto sha256 = sha256_in(*hash);
  if (!sha256)
    in.fail("invalid-value", "sha256", "is no SHA-256", "64 hex digits in lower case, of the whole file");
  return sha256.value_or("");
}

json::object offset_to_json(const v1::FileAnswer& answer) { return {{"offset", answer.offset()}}; }

// Replies with what `show` makes of the agent's answer.
std::function<void(const FileReply&)> reply_with(const CallPtr& call, const Reply& reply,
                                                 std::function<json::object(const v1::FileAnswer&)> show) {
  return [call, reply, show = std::move(show)](const FileReply& out) {
    reply(out.problem ? problem_reply(*out.problem, *call) : json_reply(200, show(out.answer)));
  };
}

// ---- beginning ----

void begin_upload(const Services& services, const CallPtr& call, const Reply& reply) {
  v1::FileQuestion question;
  const auto read = [&](ObjectReader& in) {
    question.set_path(read_path(in, "path"));
    in.require("path", !question.path().empty());
    const auto bytes = in.integer("bytes", 0, kUploadBytesMax);
    in.require("bytes", bytes.has_value());
    question.set_bytes(static_cast<std::uint64_t>(bytes.value_or(0)));
    question.set_sha256(read_sha256(in));
    question.set_overwrite(in.boolean("overwrite").value_or(false));
  };
  if (!read_body(call, reply, read)) return;
  with_files(services, call, reply, FolderAccess::kWrite, [&](const FilePlace& place) {
    // Follows from the request, so that a repeated one goes on with the same upload.
    const Uuid id =
        Uuid::from_hash(blake2b_128("upload:" + call->caller.user + ":" + std::string(place.folder.view()) +
                                    ":" + std::string(call->id.view())));
    question.set_upload(std::string(id.view()));
    ask_files(services, place, FileOperation::kUploadBegin, question, kUploadPatience,
              reply_with(call, reply, [id](const v1::FileAnswer& answer) {
                return json::object{{"upload", hex_of(id)}, {"offset", answer.offset()}};
              }));
  });
}

// ---- one that is under way ----

// Of the path's second hole; where it is no id the call is replied to.
std::optional<v1::FileQuestion> upload_in_path(const CallPtr& call, const Reply& reply) {
  const auto id = id_of_hex(call->path[1]);
  v1::FileQuestion question;
  if (id) {
    question.set_upload(std::string(id->view()));
    return question;
  }
  reply(problem_reply(make_problem("unknown-upload", "there is no upload '" + clipped(call->path[1]) + "'",
                                   "begin another one"),
                      *call));
  return std::nullopt;
}

void ask_of_upload(const Services& services, const CallPtr& call, const Reply& reply, FileOperation operation,
                   std::chrono::milliseconds patience,
                   std::function<json::object(const v1::FileAnswer&)> show, const std::string& sha256 = {}) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  auto question = upload_in_path(call, reply);
  if (!question) return;
  question->set_sha256(sha256);
  with_files(services, call, reply, FolderAccess::kWrite, [&](const FilePlace& place) {
    ask_files(services, place, operation, *question, patience, reply_with(call, reply, std::move(show)));
  });
}

void show_upload(const Services& services, const CallPtr& call, const Reply& reply) {
  ask_of_upload(services, call, reply, FileOperation::kUploadStatus, kUploadPatience, offset_to_json);
}

void abort_upload(const Services& services, const CallPtr& call, const Reply& reply) {
  ask_of_upload(services, call, reply, FileOperation::kUploadAbort, kUploadPatience,
                [](const v1::FileAnswer&) { return json::object(); });
}

void finish_upload(const Services& services, const CallPtr& call, const Reply& reply) {
  std::string sha256;
  if (!read_body(call, reply, [&](ObjectReader& in) { sha256 = read_sha256(in); })) return;
  const auto show = [](const v1::FileAnswer& answer) {
    const v1::FileEntry entry = answer.entries_size() == 1 ? answer.entries(0) : v1::FileEntry();
    return json::object{{"name", entry.name()}, {"bytes", entry.bytes()}};
  };
  ask_of_upload(services, call, reply, FileOperation::kUploadFinish, kFinishPatience, show, sha256);
}

// ---- a chunk ----

// What was signed is what the agent compares the bytes with; a browser signs nothing. Where the asker says
// so_far, the hash is of the file up to the chunk's end.
Result<std::string> chunk_hash_of(const Call& call) {
  const std::string said(trimmed(call.request.chunk_hash));
  const std::string& hash = call.signature.empty() ? said : call.request.body_hash;
  if (!said.empty() && said != hash)
    return make_error("body-hash-mismatch", "X-Berth-Sha256 is another hash than X-Berth-Content-SHA256",
                      "both are the chunk's SHA-256, 64 hex digits in lower case");
  const auto bytes = sha256_in(hash);
  if (bytes) return *bytes;
  return make_error("invalid-value", "the chunk comes without its SHA-256",
                    "send it as X-Berth-Sha256, 64 hex digits in lower case");
}

void put_chunk(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const auto offset = query.integer("offset", 0, kUploadBytesMax);
  const bool so_far = query.flag("so_far", false);
  if (!offset && errors.empty())
    query.fail("invalid-parameter", "offset", "is needed", "where the chunk begins in the file, in bytes");
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  auto question = upload_in_path(call, reply);
  if (!question) return;
  if (call->request.in_chunks)
    return reply(problem_reply(
        make_problem("length-required", "the chunk's length is not said", "send it with its Content-Length"),
        *call));
  const auto hash = chunk_hash_of(*call);
  if (!hash.ok()) return reply(problem_reply(to_problem(hash.error()), *call));
  question->set_offset(static_cast<std::uint64_t>(*offset));
  question->set_bytes(call->request.body_bytes);
  question->set_sha256(*hash);
  question->set_so_far(so_far);
  with_files(services, call, reply, FolderAccess::kWrite, [&](const FilePlace& place) {
    std::make_shared<ChunkRelay>(services, call->caller, place.folder, call->body,
                                 reply_with(call, reply, offset_to_json))
        ->begin(question_of(place, FileOperation::kUploadChunk, *question));
  });
}

}  // namespace

std::vector<Route> upload_routes() {
  constexpr const char* kAll = "/v1/folders/{folder}/uploads";
  constexpr const char* kOne = "/v1/folders/{folder}/uploads/{upload}";
  const Route::Need change{Noun::kFile, Verb::kChange};
  return {{"POST", kAll, "beginUpload", begin_upload, change},
          {"GET", kOne, "getUpload", show_upload, change},
          {"PUT", kOne, "putChunk", put_chunk, change, {.streams_body = true}},
          {"DELETE", kOne, "abortUpload", abort_upload, change},
          {"POST", "/v1/folders/{folder}/uploads/{upload}/finish", "finishUpload", finish_upload, change}};
}

}  // namespace berth::controller::api
