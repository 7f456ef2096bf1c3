// KernelLog: what one kernel wrote, page by page to stdout. Nothing of ours is mixed in; on a terminal what
// would steer it is shown (output/terminal_text.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/cli/output/terminal_text.h"
#include "ops/cli/shell.h"

namespace berth::cli {

// Between two looks at a log that goes on.
inline constexpr std::chrono::milliseconds kLogPause{300};

class KernelLog {
 public:
  // `kernel` empty: the session's first. `tail`: only so many lines of what is there at the first print().
  KernelLog(Shell& shell, Api& api, std::string session, std::string kernel,
            std::optional<std::uint64_t> tail = std::nullopt);

  // Prints what there is by now. True: the kernel has ended and nothing follows. Failures: those of a GET.
  Outcome<bool> print();
  // Ends a last line that has no end, so that a terminal's next words have a line of their own.
  void end_line();
  // The kernel has written something, be it before the part that was printed.
  bool any() const { return any_; }

 private:
  Outcome<ApiReply> get(const std::string& offset, std::uint64_t limit);
  Outcome<std::string> start_of_tail(std::uint64_t lines);

  Shell& shell_;
  Api& api_;
  const std::string session_, kernel_;
  std::optional<std::uint64_t> tail_;
  std::string offset_ = "0";
  bool any_ = false;
  TerminalText terminal_;
  char last_ = '\n';
};

}  // namespace berth::cli
