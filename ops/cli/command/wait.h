// --wait: until sessions are where somebody wants them, woken by the journal and never by a timer.
#pragma once

#include <string>
#include <vector>

#include "ops/cli/shell.h"

namespace berth::cli {

// "RUNNING", "TERMINATED"... or "ended" for any end.
struct WaitFor {
  std::string state;
  std::string timeout;  // "30s"; empty: for ever
};

// What a bare --wait is rewritten to before the command line is parsed: its STATE only ever stands behind
// "=".
inline constexpr const char* kWaitDefault = "default";
// Failures: usage (unknown state).
Outcome<std::string> parse_wait_state(const std::string& text, const char* fallback);
// Failures: usage.
Outcome<Deadline> parse_timeout(const std::string& text);

enum class Progress { kNotYet, kReached, kMissed };
// A state counts as reached when the session is in it or has been beyond it; an end before that is a miss.
Progress judge(const boost::json::value& session, const std::string& state);

struct Waited {
  int exit = kOk;               // ok, failed (one ended before it got there), timeout, pending
  boost::json::array sessions;  // as last seen, in the order of `ids`
};

// `position`: the journal position of what is known now; sessions as of then are not asked for again. Ctrl-C
// ends the waiting, not the sessions: 8 if one is still PENDING, else 7.
Outcome<Waited> wait_for(Shell& shell, Api& api, const std::vector<std::string>& ids, const WaitFor& goal,
                         std::int64_t position);

// What `berth session run` of batch jobs exits with: the first job's code that is not 0; 1 for a job without
// a code.
int batch_exit_code(const boost::json::array& sessions);

}  // namespace berth::cli
