#include "agents/services/file_refusals.h"

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

std::shared_ptr<void> place_in(const std::shared_ptr<std::atomic<std::size_t>>& taken, std::size_t max) {
  if (taken->fetch_add(1) >= max) {
    taken->fetch_sub(1);
    return nullptr;
  }
  return {taken.get(), [taken](void*) { taken->fetch_sub(1); }};
}

}  // namespace berth::agents
