// --wait: waits until sessions reach a state, woken by the journal and never by a timer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ops/cli/shell.h"

namespace berth::cli {

// "RUNNING", "TERMINATED"... or "ended" for any end.
struct WaitFor {
  std::string state;
  std::string timeout;  // "30s"; empty: for ever
  bool attach = false;  // prints meanwhile what the sessions write, one after the other; `state` is "ended"
};

// The STATE that a bare --wait gets before the command line is parsed: a STATE only ever stands behind "=".
inline constexpr const char* kWaitDefault = "default";
// Failures: usage (unknown state).
Outcome<std::string> parse_wait_state(const std::string& text, const char* fallback);
// Failures: usage.
Outcome<Deadline> parse_timeout(const std::string& text);

enum class Progress { kNotYet, kReached, kMissed };
// kReached: the session is in the state or has been beyond; kMissed: the session ended before.
Progress judge(const boost::json::value& session, const std::string& state);

struct Waited {
  int exit = kOk;               // ok, failed (one ended before the state), timeout, pending
  boost::json::array sessions;  // as last seen, in the order of `ids`
};

// `position`: the journal position of the caller's state, from which the wait begins. Ctrl-C ends the
// waiting, not the sessions: exit code 8 if one is still PENDING, else 7.
Outcome<Waited> wait_for(Shell& shell, Api& api, const std::vector<std::string>& ids, const WaitFor& goal,
                         std::int64_t position);

// Where the API has a thing, and the member that each answer about it has.
struct WaitAt {
  std::string target;
  const char* member;
};

// Waits until `done` of the thing as it is; `progress`: how it stands meanwhile, may be empty. The thing as
// last seen. Failures: kTimeout, interrupted, those of a GET.
Outcome<boost::json::value> wait_until_at(
    Shell& shell, Api& api, const WaitAt& at, const std::function<bool(const boost::json::value&)>& done,
    const std::function<std::string(const boost::json::value&)>& progress, Deadline deadline,
    std::int64_t position);

// The same of a session; `tell`: says meanwhile how it stands.
Outcome<boost::json::value> wait_until(Shell& shell, Api& api, const std::string& id,
                                       const std::function<bool(const boost::json::value&)>& done, bool tell,
                                       Deadline deadline, std::int64_t position);

// The exit code of `berth session run` for ended sessions: the first one's code that is not 0; 1 for one that
// has none, or failed for another reason.
int job_exit_code(const boost::json::array& sessions);

}  // namespace berth::cli
