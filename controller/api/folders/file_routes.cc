// /v1/folders/{folder}/files and /file: what lies in a folder, read and changed on an agent that has it.
#include <algorithm>
#include <mutex>

#include "controller/api/folders/file_inquiry.h"
#include "controller/api/folders/file_path.h"
#include "controller/api/folders/file_range.h"
#include "controller/api/folders/file_stream.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/time_text.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::FolderAccess;
using projections::Noun;
using projections::Verb;

constexpr std::chrono::seconds kFilePatience{15};
constexpr Timestamp kTimeMax = INT64_MAX / 2;

// ---- listing ----

const char* name_of(v1::FileType type) {
  if (type == v1::FILE) return "file";
  return type == v1::FOLDER ? "folder" : "other";
}

std::string octal(std::uint32_t mode) {
  std::string out;
  for (int shift = 9; shift >= 0; shift -= 3) out += static_cast<char>('0' + (mode >> shift & 7));
  return out;
}

json::object entry_to_json(const v1::FileEntry& entry) {
  return {{"name", entry.name()},
          {"type", name_of(entry.type())},
          {"bytes", entry.bytes()},
          {"modified_at", format_time(std::clamp<Timestamp>(entry.modified_ns(), 0, kTimeMax))},
          {"mode", octal(entry.mode())}};
}

json::object list_to_json(const v1::FileAnswer& answer) {
  json::array items;
  for (const auto& entry : answer.entries()) items.push_back(entry_to_json(entry));
  return {{"items", std::move(items)},
          {"next", answer.next().empty() ? json::value(nullptr) : json::value(answer.next())},
          {"not_utf8", answer.not_utf8()}};
}

void list_files(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  v1::FileQuestion question;
  question.set_path(read_path(query, "path"));
  question.set_after(query.text("after", kFileNameBytesMax).value_or(""));
  question.set_limit(
      static_cast<std::uint32_t>(query.integer("limit", 1, kFileListPageMax).value_or(kFileListPageMax)));
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  with_files(services, call, reply, FolderAccess::kRead, [&](const FilePlace& place) {
    ask_files(
        services, place, FileOperation::kList, question, kFilePatience, [call, reply](const FileReply& out) {
          reply(out.problem ? problem_reply(*out.problem, *call) : json_reply(200, list_to_json(out.answer)));
        });
  });
}

// ---- changes ----

FileOperation read_operation(ObjectReader& in, v1::FileQuestion& question) {
  const std::string name = in.required_text("op", kTextMax);
  question.set_path(read_path(in, "path"));
  in.require("path", !question.path().empty());
  const auto to = read_path(in, "to");
  question.set_to(to);
  question.set_recursive(in.boolean("recursive").value_or(false));
  if (name == "mkdir") return FileOperation::kMakeFolder;
  if (name == "remove") return FileOperation::kRemove;
  if (name == "rename") in.require("to", !to.empty());
  if (name != "rename" && !name.empty())
    in.fail("invalid-value", "op", "'" + clipped(name) + "' is no operation", "mkdir, rename or remove");
  return FileOperation::kRename;
}

void change_files(const Services& services, const CallPtr& call, const Reply& reply) {
  v1::FileQuestion question;
  FileOperation operation = FileOperation::kRename;
  if (!read_body(call, reply, [&](ObjectReader& in) { operation = read_operation(in, question); })) return;
  with_files(services, call, reply, FolderAccess::kWrite, [&](const FilePlace& place) {
    ask_files(services, place, operation, question, kFilePatience, [call, reply](const FileReply& out) {
      reply(out.problem ? problem_reply(*out.problem, *call) : json_reply(200, json::object()));
    });
  });
}

// ---- a file's bytes ----

// Of an agent: nothing but what may stand in a header.
std::string etag_of(const v1::FileEntry& entry) {
  const bool plain = std::ranges::all_of(entry.tag(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return entry.tag().empty() || !plain ? "" : "\"" + entry.tag() + "\"";
}

// Opens a file and replies with its head, then its bytes. Its handlers hold it.
class Download : public std::enable_shared_from_this<Download> {
 public:
  Download(const Services& services, CallPtr call, Reply reply, FilePlace place, v1::FileQuestion question)
      : services_(services),
        call_(std::move(call)),
        reply_(std::move(reply)),
        place_(std::move(place)),
        question_(std::move(question)) {}

  void begin() {
    range_ = file_range_in(call_->request.range);
    if (!range_ || (!range_->suffix && call_->request.if_range.empty())) return open();
    // How long the file is, or whether it still is what the client has a part of, is to be known first.
    ask_files(services_, place_, FileOperation::kStat, question_, kFilePatience,
              [self = shared_from_this()](const FileReply& out) {
                if (out.problem) return self->answer(problem_reply(*out.problem, *self->call_));
                self->settle_range(out.answer.entries_size() == 1 ? out.answer.entries(0) : v1::FileEntry());
                self->open();
              });
  }

 private:
  void settle_range(const v1::FileEntry& entry) {
    if (!call_->request.if_range.empty() && call_->request.if_range != etag_of(entry)) return range_.reset();
    if (!range_->suffix) return;
    range_->suffix = false;
    range_->length = std::min(range_->offset, entry.bytes());
    range_->offset = entry.bytes() - range_->length;
  }

  void open() {
    if (range_) {
      question_.set_offset(range_->offset);
      question_.set_length(range_->length);
    }
    services_.quick.post_after(kFilePatience, [weak = weak_from_this()] {
      if (const auto late = weak.lock())
        late->answer(problem_reply(
            make_problem("agent-timeout", "agent " + late->place_.agent + " has not opened the file in time",
                         "is its disk slow? Ask again"),
            *late->call_));
    });
    const std::lock_guard lock(mutex_);
    channel_ = services_.context.ask_files(
        question_of(place_, FileOperation::kRead, question_),
        [self = shared_from_this()](const FilesAnswer& answer) { self->opened(answer); });
    channel_->finish();
  }

  void opened(const FilesAnswer& answered) {
    if (answered.refused) return answer(problem_reply(problem_of(answered), *call_));
    v1::FileEntry entry;
    if (!entry.ParseFromString(answered.entry) || entry.type() != v1::FILE)
      return answer(problem_reply(
          make_problem("agent-answer-invalid", "the agent does not say what file it gives"), *call_));
    const std::string etag = etag_of(entry);
    HttpReply out;
    set_head(out, etag);
    if (!etag.empty() && call_->request.if_none_match == etag) {
      out.status = 304;
      out.content_type.clear();
      return answer(std::move(out));
    }
    std::uint64_t from = 0, bytes = entry.bytes();
    if (range_ && range_->offset < entry.bytes()) {
      from = range_->offset;
      bytes = entry.bytes() - from;
      if (range_->length != 0) bytes = std::min(bytes, range_->length);
      out.status = 206;
      out.set("Content-Range", "bytes " + std::to_string(from) + "-" + std::to_string(from + bytes - 1) +
                                   "/" + std::to_string(entry.bytes()));
    } else if (range_ && entry.bytes() != 0) {
      return answer(problem_reply(
          make_problem("range-invalid", "the file has " + std::to_string(entry.bytes()) + " bytes"), *call_));
    }
    out.stream_bytes = bytes;
    answer(std::move(out));
  }

  // No browser shows a folder's file on the console's origin: it is saved, whatever it calls itself.
  void set_head(HttpReply& out, const std::string& etag) const {
    out.content_type = "application/octet-stream";
    out.set("Content-Disposition", disposition_of(question_.path()));
    out.set("Content-Security-Policy", "sandbox; default-src 'none'");
    out.set("Cross-Origin-Resource-Policy", "same-origin");
    out.set("Accept-Ranges", "bytes");
    if (!etag.empty()) out.set("ETag", etag);
  }

  void answer(HttpReply out) {
    Reply reply;
    std::shared_ptr<KernelChannel> channel;  // goes without the lock
    {
      const std::lock_guard lock(mutex_);
      reply = std::exchange(reply_, nullptr);
      channel = std::exchange(channel_, nullptr);
    }
    if (!reply) return;
    if (out.stream_bytes)
      out.stream =
          make_file_stream(services_, call_->caller, place_.folder, std::move(channel), *out.stream_bytes);
    reply(std::move(out));
  }

  const Services services_;
  const CallPtr call_;
  std::mutex mutex_;
  Reply reply_;  // guarded; empty once it was called
  const FilePlace place_;
  v1::FileQuestion question_;
  std::optional<FileRange> range_;
  std::shared_ptr<KernelChannel> channel_;  // guarded
};

void get_file(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  v1::FileQuestion question;
  question.set_path(read_path(query, "path"));
  if (question.path().empty() && errors.empty())
    query.fail("invalid-parameter", "path", "names no file",
               "its path in the folder, like results/model.bin");
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  with_files(services, call, reply, FolderAccess::kRead, [&](const FilePlace& place) {
    std::make_shared<Download>(services, call, reply, place, question)->begin();
  });
}

}  // namespace

std::vector<Route> file_routes() {
  constexpr const char* kFiles = "/v1/folders/{folder}/files";
  const Route::Need see{Noun::kFile, Verb::kSee}, change{Noun::kFile, Verb::kChange};
  return {{"GET", kFiles, "listFiles", list_files, see},
          {"POST", kFiles, "changeFiles", change_files, change},
          {"GET", "/v1/folders/{folder}/file", "getFile", get_file, see}};
}

}  // namespace berth::controller::api
