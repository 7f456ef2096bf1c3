#include "ops/cli/command/kernel_log.h"

namespace berth::cli {

KernelLog::KernelLog(Shell& shell, Api& api, std::string session, std::string kernel, std::int64_t tail_bytes)
    : shell_(shell),
      api_(api),
      session_(std::move(session)),
      kernel_(std::move(kernel)),
      offset_(std::to_string(-tail_bytes)) {}

Outcome<bool> KernelLog::print() {
  for (;;) {
    const auto reply = api_.get(with_query("/v1/sessions/" + percent_encoded(session_) + "/logs",
                                           {{"kernel", kernel_}, {"offset", offset_}, {"limit", "262144"}}));
    if (!reply) return reply.failure();
    const std::string& bytes = reply->raw;
    shell_.out() << (shell_.world().out_is_terminal ? terminal_.shown(bytes) : bytes) << std::flush;
    if (!bytes.empty()) last_ = bytes.back();
    const std::string next = reply->http.header("x-berth-log-next");
    if (reply->http.header("x-berth-log-end") == "true" || next.empty() || !shell_.out()) return true;
    const bool moved = next != offset_ && !bytes.empty();
    offset_ = next;
    if (!moved) return false;
  }
}

void KernelLog::end_line() {
  if (last_ != '\n' && shell_.world().out_is_terminal) shell_.out() << std::endl;
  last_ = '\n';
}

}  // namespace berth::cli
