// The exit codes of `berth`. `berth --help` documents them; scripts rely on them, so no number ever changes
// its meaning.
#pragma once

#include <csignal>
#include <string>
#include <string_view>

#include "events/base/result.h"

namespace berth::cli {

enum ExitCode : int {
  kOk = 0,
  kFailed = 1,  // the server refused or the command could not do what was asked
  kUsage = 2,   // the command line, a configuration file or a value is wrong; the CLI or the server says so
  kNotFound = 3,
  kDenied = 4,       // no key, a wrong one, or not allowed
  kConflict = 5,     // the name or idempotency key is in use, or the state does not allow it
  kUnreachable = 6,  // no server answers
  kTimeout = 7,      // --timeout passed before the state of --wait
  kPending = 8,      // accepted, but a session is still PENDING at the timeout; --dry-run: would wait
  // Of `session exec` and `shell`, as of shells.
  kProgramNotRunnable = 126,
  kProgramNotFound = 127,
};

// Nobody reads stdout any more: as of programs that SIGPIPE ends.
inline constexpr int kReaderGone = 128 + SIGPIPE;

inline constexpr Code kUsageCode = "usage";
inline constexpr Code kInterruptedCode = "interrupted";
inline bool is_interrupted(const Error& error) { return error.code == kInterruptedCode; }
Error interrupted_error();

// An error on its way to stderr and to the exit code. `request_id` as the server's problem+json names it.
struct Failure {
  ExitCode exit = kFailed;
  Code code;
  std::string message;
  std::string hint;
  std::string request_id;
  std::string problem = {};  // the server's problem+json, on one line; empty where the CLI itself failed

  bool is_usage() const { return code == kUsageCode; }
  bool is_interrupted() const { return code == kInterruptedCode; }  // by Ctrl-C
};

Failure usage_failure(std::string message, std::string hint = {});
Failure interrupted_failure();
Failure timeout_failure();  // of --timeout
// An Error of an edge (file, amount, address) as the failure it is for a user of the CLI.
Failure failure_of(const Error& error, ExitCode exit = kFailed);

// The exit code for an HTTP status and problem code; status 0 = no answer at all. A 400 is the asker's input
// (kUsage) unless its code is about the cluster as it stands, or about the bytes that the CLI itself sent.
ExitCode exit_code_of(unsigned status, Code problem_code);

// Result<T> with a Failure, for the exit code.
template <class T> class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : value_(std::move(value)) {}              // NOLINT(google-explicit-constructor)
  Outcome(Failure failure) : failure_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() {
    BERTH_CHECK(value_.has_value(), "value of a failed Outcome");
    return *value_;
  }
  const T& operator*() const {
    BERTH_CHECK(value_.has_value(), "value of a failed Outcome");
    return *value_;
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const Failure& failure() const { return failure_; }

 private:
  std::optional<T> value_;
  Failure failure_;
};

extern const char* const kExitCodeHelp;

}  // namespace berth::cli
