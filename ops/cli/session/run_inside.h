// `berth session run --stdin` and `--terminal`: a session that is there for one command, which gets the stdin
// of this process.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/cli/shell.h"

namespace berth::cli {

struct InsideRun {
  std::vector<std::string> command;
  bool terminal = false;
  Deadline until_running;
};

// Waits until the session, which was asked for at `position`, is RUNNING, runs the command in its first
// kernel, and ends the session: also after Ctrl-C, a lost connection or the deadline. The command's exit
// code. Failures: those of the API, not-berth (there is no session), interrupted.
Outcome<int> run_inside(Shell& shell, Api& api, const boost::json::value& session, std::int64_t position,
                        const InsideRun& run);

}  // namespace berth::cli
