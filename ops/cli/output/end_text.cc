// How a session ended, for people (views.h).
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// The kernel whose end is the session's: the first that did not just exit with 0.
const json::value* deciding_kernel(const json::array& kernels) {
  for (const auto& kernel : kernels)
    if (text_at(kernel, "end") != "EXITED" || integer_at(kernel, "exit_code") != 0) return &kernel;
  return kernels.empty() ? nullptr : &kernels.front();
}

std::string memory_of(const json::value& session, const std::string& role) {
  for (const auto& one : array_at(session, "roles"))
    if (text_at(one, "role") == role) return text_at(one, "resources.mem");
  return {};
}

std::string with(const std::string& text, const char* before, const std::string& detail, const char* after) {
  return detail.empty() ? text : text + before + detail + after;
}

std::string kernel_end_text(const json::value& session, const json::value& kernel) {
  const std::string end = text_at(kernel, "end"), code = text_at(kernel, "exit_code");
  const std::string reason = text_at(session, "reason.code"), message = text_at(kernel, "message");
  const std::string said = text_at(session, "message");  // by whom ended it
  if (end == "EXITED") return "exited " + code;
  if (end == "SIGNALLED") return "killed by signal " + std::to_string(integer_at(kernel, "exit_code") - 128);
  if (end == "OUT_OF_MEMORY") {
    if (!message.empty()) return "out of memory: " + message;
    const std::string memory = memory_of(session, text_at(kernel, "role"));
    return with("out of memory", " (", memory.empty() ? "" : amount_text("mem", memory), ")");
  }
  if (end == "STOPPED") return with(with("stopped", " (", reason, ")"), ": ", said, "");
  if (end == "LEASE_OVER") return "ended: its agent had lost the cluster (lease-over)";
  if (end == "MACHINE_STOPPED") return with("ended when its machine stopped", ": ", message, "");
  if (end == "START_FAILED") return with("did not start", ": ", message, "");
  if (end == "NEVER_STARTED") return with("ended before it started", " (", reason, ")");
  return with("ended, and nobody knows how", ": ", message, "");
}

}  // namespace

std::string end_text(const json::value& session) {
  const std::string status = text_at(session, "status"), message = text_at(session, "message");
  const auto* kernel = deciding_kernel(array_at(session, "kernels"));
  if (status == "CANCELLED")
    return with(with("cancelled", " (", text_at(session, "reason.code"), ")"), ": ", message, "");
  if (status == "ERROR" && !message.empty()) return "did not start: " + message;
  return kernel == nullptr ? with("ended", " (", text_at(session, "reason.code"), ")")
                           : kernel_end_text(session, *kernel);
}

}  // namespace berth::cli
