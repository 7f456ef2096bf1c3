// KernelLog: what one kernel wrote, page by page to stdout. Nothing of ours is mixed in; on a terminal what
// would steer it is shown (output/terminal_text.h).
#pragma once

#include <string>

#include "ops/cli/output/terminal_text.h"
#include "ops/cli/shell.h"

namespace berth::cli {

// Between two looks at a log that goes on.
inline constexpr std::chrono::milliseconds kLogPause{300};

class KernelLog {
 public:
  // `kernel` empty: the session's first. `tail_bytes` > 0: only so many of what is there now.
  KernelLog(Shell& shell, Api& api, std::string session, std::string kernel, std::int64_t tail_bytes);

  // Prints what there is by now. True: the kernel has ended and nothing follows. Failures: those of a GET.
  Outcome<bool> print();
  // Ends a last line that has no end, so that a terminal's next words have a line of their own.
  void end_line();

 private:
  Shell& shell_;
  Api& api_;
  const std::string session_, kernel_;
  std::string offset_;
  TerminalText terminal_;
  char last_ = '\n';
};

}  // namespace berth::cli
