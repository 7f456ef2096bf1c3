#include "ops/cli/exit_code.h"

#include <algorithm>

#include "ops/cli/problem_codes.h"

namespace berth::cli {
namespace {

// Codes of a 400 that no other input would have spared the asker.
bool is_no_input_error(Code code) {
  constexpr Code kCodes[] = {
      "no-agents",         "slot-not-served",  "limit-exceeded",     "dependency-failed",  // the cluster
      "malformed-request", "duplicate-header", "body-hash-mismatch", "malformed-json",     // the CLI
      "checksum-differs",
  };
  return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

// What the asker names, in a path or in a body, and is not there.
bool is_not_there(Code code) {
  constexpr Code kCodes[] = {"unknown-agent",   "unknown-dependency", "unknown-domain",  "unknown-folder",
                             "unknown-group",   "unknown-image",      "unknown-owner",   "unknown-preset",
                             "unknown-project", "unknown-session",    "unknown-subject", "unknown-user",
                             "unknown-volume"};
  return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

}  // namespace

const char* const kExitCodeHelp =
    "Exit codes: 0 ok, 1 failed, 2 wrong usage or input, 3 not found, 4 denied, 5 conflict, 6 unreachable, 7 "
    "timeout,\n"
    "8 accepted but pending (--dry-run: would wait). `session run` of a batch job or with `-- COMMAND`, "
    "unless --detach,\nand `session exec`, `shell` and `attach` exit with the program's code; 126, 127: it "
    "cannot be run, is not there.";

Failure usage_failure(std::string message, std::string hint) {
  return {kUsage, kUsageCode, std::move(message), std::move(hint), {}};
}

Error interrupted_error() { return make_error(kInterruptedCode, "stopped by Ctrl-C"); }

Failure interrupted_failure() { return failure_of(interrupted_error()); }

Failure timeout_failure() { return {kTimeout, "timeout", "the time is over", {}, {}}; }

Failure failure_of(const Error& error, ExitCode exit) {
  return {exit, error.code, error.message, error.hint, {}};
}

ExitCode exit_code_of(unsigned status, Code problem_code) {
  if (problem_code == kNameInUse || problem_code == kIdempotencyConflict) return kConflict;
  switch (status) {
    case 0: return kUnreachable;
    case 400:
    case 422:
      if (is_not_there(problem_code)) return kNotFound;
      return is_no_input_error(problem_code) ? kFailed : kUsage;
    case 413:
    case 414: return kUsage;
    case 401:
    case 403: return kDenied;
    case 404:
    case 410: return kNotFound;
    case 409:
    case 412: return kConflict;
    case 408:
    case 504: return kTimeout;
    case 502:
    case 503: return kUnreachable;
    default: return status >= 200 && status < 300 ? kOk : kFailed;
  }
}

}  // namespace berth::cli
