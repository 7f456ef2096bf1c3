#include "agents/services/file_answers.h"

#include <functional>
#include <string>

#include "agents/volumes/uploads.h"

namespace berth::agents {
namespace {

// What the table gives no status is the agent's own fault.
int file_status_of(const Error& error) { return static_cast<int>(error.code.status(500)); }

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
