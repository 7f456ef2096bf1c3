#include "ops/cli/session/attach.h"

#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/session/kernel_log.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// The attempt whose first kernel has run; 0: none.
std::int64_t started_attempt(const json::value& session) {
  const auto& kernels = array_at(session, "kernels");
  if (kernels.empty() || text_at(kernels.front(), "started_at").empty()) return 0;
  return integer_at(kernels.front(), "attempt");
}

// True: to its end. A log that cannot be read is said and is no failure: the session goes on without it.
Outcome<bool> follow(Shell& shell, Api& api, const std::string& id, Deadline deadline) {
  KernelLog log(shell, api, id, {});
  for (;;) {
    const auto ended = log.print();
    if (!ended && ended.failure().is_interrupted()) return ended;
    if (!ended) shell.note("its output cannot be read: " + ended.failure().message);
    if (!ended || *ended) break;
    if (std::chrono::steady_clock::now() >= deadline) return timeout_failure();
    if (!api.pause(kLogPause)) return interrupted_failure();
  }
  log.end_line();
  return true;
}

}  // namespace

Outcome<json::value> attach(Shell& shell, Api& api, const std::string& id, Deadline deadline,
                            std::int64_t position) {
  for (std::int64_t printed = 0;;) {
    const auto news = [printed](const json::value& session) {
      return is_ended(text_at(session, "status")) || started_attempt(session) > printed;
    };
    const bool tell = printed == 0;
    auto session = wait_until(shell, api, id, news, tell, deadline, position);
    if (!session || started_attempt(*session) <= printed) return session;
    shell.end_status();
    if (const auto done = follow(shell, api, id, deadline); !done) return done.failure();
    printed = started_attempt(*session);
  }
}

std::string parting_words(const json::value& session) {
  const std::string name = text_at(session, "name");
  if (is_ended(text_at(session, "status"))) return name + " " + end_text(session);
  return name + " goes on: `berth session logs -f " + name + "` follows it, `berth session rm " + name +
         "` ends it";
}

}  // namespace berth::cli
