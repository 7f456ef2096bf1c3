// Requests to stop the program: SIGINT, SIGTERM or ask_to_stop(). For main() alone; one a process. The
// handlers only write to a pipe.
#pragma once

namespace berth {

// Catches SIGINT and SIGTERM and ignores SIGPIPE. A second signal ends the process at once with exit code 1.
// Returns false if there is no pipe.
bool catch_stop_signals();
// Waits for a request to stop. REQUIRES: catch_stop_signals().
void wait_for_stop_signal();
// Whether a stop was requested. Any thread.
bool stop_was_asked();
// Requests a stop. Any thread.
void ask_to_stop();

}  // namespace berth
