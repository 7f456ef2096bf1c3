// How a program is asked to stop: SIGINT, SIGTERM, or itself. For main() alone; one a process. The handlers
// only write to a pipe.
#pragma once

namespace berth {

// Catches SIGINT and SIGTERM and ignores SIGPIPE. A second signal ends the process at once with exit code 1.
// False: no pipe.
bool catch_stop_signals();
// Waits until it is asked. REQUIRES: catch_stop_signals().
void wait_for_stop_signal();
// The process asks itself. Any thread.
void ask_to_stop();

}  // namespace berth
