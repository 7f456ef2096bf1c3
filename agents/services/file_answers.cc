#include "agents/services/file_answers.h"

#include <functional>
#include <map>
#include <string>

#include "agents/volumes/uploads.h"

namespace berth::agents {
namespace {

int file_status_of(const Error& error) {
  static const std::map<std::string, int, std::less<>> kStatuses = {
      {"bad-request", 400},      {"unknown-volume", 404},   {"unknown-folder", 404},
      {"unknown-path", 404},     {"unknown-upload", 404},   {"path-exists", 409},
      {"not-a-file", 409},       {"not-a-folder", 409},     {"folder-not-empty", 409},
      {"too-many-files", 409},   {"file-busy", 409},        {"upload-busy", 409},
      {"upload-differs", 409},   {"too-many-uploads", 409}, {"offset-differs", 409},
      {"upload-too-large", 413}, {"range-invalid", 416},    {"path-invalid", 422},
      {"checksum-differs", 422}, {"checksum-missing", 422}, {"checksum-unknown", 409},
      {"agent-busy", 503},       {"volume-full", 507},
  };
  const auto found = kStatuses.find(error.code);
  return found == kStatuses.end() ? 500 : found->second;
}

}  // namespace

void answer_with(const StreamHandle& stream, const v1::FileAnswer& answer) {
  stream->answer({200, {}});
  finish_with(stream, answer.SerializeAsString());
}

v1::FileAnswer offset_answer(std::uint64_t offset) {
  v1::FileAnswer answer;
  answer.set_offset(offset);
  return answer;
}

void refuse_file(const StreamHandle& stream, const Error& error, std::uint64_t offset) {
  refuse(stream, file_status_of(error), error, offset);
}

std::uint64_t offset_to_tell(const Error& error, const Uploads& uploads, const v1::FileQuestion& question) {
  if (error.code != "offset-differs") return 0;
  const auto there = uploads.status(question);
  return there ? *there : 0;
}

Error agent_busy() {
  return make_error("agent-busy", "this agent works on as many questions about files as it can",
                    "try again in a moment");
}

}  // namespace berth::agents
