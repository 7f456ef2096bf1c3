#include "ops/cli/command/wait.h"

#include <algorithm>

#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/output/views.h"
#include "ops/cli/session/attach.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// In the order in which a session goes through them.
const std::vector<std::string>& path_of_states() {
  static const std::vector<std::string> states = {"PENDING",   "RESERVED", "SCHEDULED",
                                                  "PREPARING", "PULLING",  "PREPARED",
                                                  "CREATING",  "RUNNING",  "TERMINATING"};
  return states;
}

int rank(const std::string& state) {
  const auto& states = path_of_states();
  return static_cast<int>(std::find(states.begin(), states.end(), state) - states.begin());
}

std::string progress_text(const json::value& session) {
  std::string text = text_at(session, "name") + " " + text_at(session, "status");
  for (const auto& kernel : array_at(session, "kernels"))
    if (text_at(kernel, "state") == "PULLING" && !text_at(kernel, "percent").empty())
      text += " " + text_at(kernel, "percent") + " %";
  if (const std::string reason = reason_text(session); !reason.empty()) text += " (" + reason + ")";
  return text;
}

}  // namespace

Outcome<std::string> parse_wait_state(const std::string& text, const char* fallback) {
  if (text.empty() || text == kWaitDefault) return std::string(fallback);
  std::string state = text;
  for (char& c : state) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (state == "ENDED" || is_ended(state)) return std::string("ended");
  const auto& states = path_of_states();
  if (std::find(states.begin(), states.end(), state) != states.end()) return state;
  return usage_failure("'" + text.substr(0, 40) + "' is no state to wait for",
                       "RUNNING, TERMINATED, ended, SCHEDULED, PREPARED, ...");
}

Outcome<Deadline> parse_timeout(const std::string& text) {
  if (text.empty()) return Api::never();
  const auto duration = parse_duration(text);
  if (!duration)
    return usage_failure("'" + text.substr(0, 40) + "' is no duration", "write 30s, 5m, 1500ms or 2h");
  const auto bounded = std::min<Duration>(*duration, 365 * kDay);
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(bounded);
}

Progress judge(const json::value& session, const std::string& state) {
  const std::string status = text_at(session, "status");
  if (is_ended(status)) {
    const bool ran = !text_at(session, "running_at").empty();
    return state == "ended" || (ran && rank(state) <= rank("TERMINATING")) ? Progress::kReached
                                                                           : Progress::kMissed;
  }
  if (state == "ended" || rank(status) > rank("TERMINATING")) return Progress::kNotYet;
  if (status == "TERMINATING" && rank(state) <= rank("RUNNING") && text_at(session, "running_at").empty())
    return Progress::kMissed;
  return rank(status) >= rank(state) ? Progress::kReached : Progress::kNotYet;
}

Outcome<json::value> wait_until_at(Shell& shell, Api& api, const WaitAt& at,
                                   const std::function<bool(const json::value&)>& done,
                                   const std::function<std::string(const json::value&)>& progress,
                                   Deadline deadline, std::int64_t position) {
  json::value seen;
  std::int64_t known = position - 1;
  for (;;) {
    auto reply = api.get_after(at.target, known, deadline);
    if (!reply) return reply.failure();
    if (!reply->has_value()) continue;  // nothing has happened for a while
    seen = (*reply)->body;
    if (auto failure = lacking(seen, {at.member})) return std::move(*failure);
    if (done(seen)) return seen;
    if (progress) shell.status(progress(seen));
    known = (*reply)->position;
    // A busy cluster moves the position all the time; a server that names none is asked now and then.
    if (!api.pause(std::chrono::milliseconds(known < 0 ? 500 : 20))) return interrupted_failure();
  }
}

Outcome<json::value> wait_until(Shell& shell, Api& api, const std::string& id,
                                const std::function<bool(const json::value&)>& done, bool tell,
                                Deadline deadline, std::int64_t position) {
  std::function<std::string(const json::value&)> progress;
  if (tell) progress = progress_text;
  return wait_until_at(shell, api, {"/v1/sessions/" + percent_encoded(id), "status"}, done, progress,
                       deadline, position);
}

Outcome<Waited> wait_for(Shell& shell, Api& api, const std::vector<std::string>& ids, const WaitFor& goal,
                         std::int64_t position) {
  const auto deadline = parse_timeout(goal.timeout);
  if (!deadline) return deadline.failure();
  const auto there = [&goal](const json::value& session) {
    return judge(session, goal.state) != Progress::kNotYet;
  };
  Waited waited;
  std::string stopped;  // why the waiting ended early
  // One after the other: a session that is there stays there, so the order does not matter.
  for (const auto& id : ids) {
    if (!stopped.empty()) break;
    auto session = goal.attach ? attach(shell, api, id, *deadline, position)
                               : wait_until(shell, api, id, there, true, *deadline, position);
    if (!session && session.failure().exit != kTimeout && !session.failure().is_interrupted())
      return session.failure();
    if (!session) {
      stopped = session.failure().is_interrupted() ? "stopped waiting" : "not " + goal.state + " in time";
      break;
    }
    if (judge(*session, goal.state) == Progress::kMissed) {
      waited.exit = kFailed;
      shell.note(text_at(*session, "name") + " was never " + goal.state + ": " + end_text(*session));
    }
    waited.sessions.push_back(*session);
  }
  if (stopped.empty()) return waited;
  bool pending = false;
  std::string late;
  for (std::size_t i = waited.sessions.size(); i < ids.size(); ++i) {
    auto reply = api.get("/v1/sessions/" + percent_encoded(ids[i]));
    if (!reply) return reply.failure();
    if (judge(reply->body, goal.state) != Progress::kReached)
      late += (late.empty() ? "" : ", ") + progress_text(reply->body);
    const std::string status = text_at(reply->body, "status");
    pending = pending || status == "PENDING" || status == "RESERVED";
    waited.sessions.push_back(reply->body);
  }
  shell.note(stopped + ": " + (late.empty() ? "all are there" : late) +
             (pending ? "; what is PENDING stays in the queue" : ""));
  waited.exit = pending ? kPending : late.empty() ? waited.exit : static_cast<int>(kTimeout);
  return waited;
}

int job_exit_code(const json::array& sessions) {
  for (const auto& session : sessions) {
    if (text_at(session, "exit_code").empty()) return kFailed;  // nobody saw the program end
    const auto code = static_cast<int>(integer_at(session, "exit_code"));
    const std::string result = text_at(session, "result");  // of batch sessions alone
    const bool done = text_at(session, "status") == "TERMINATED" && code == 0 && result != "FAILED";
    if (!done) return code > 0 && code < 256 ? code : kFailed;
  }
  return kOk;
}

}  // namespace berth::cli
