// Codes of an EventLog's errors that callers act on. Pure. The disk's are in events/base/edge_errors.h.
#pragma once

#include "events/base/edge_errors.h"

namespace berth {

inline constexpr Code kOffsetOutOfRange = "offset-out-of-range";
inline constexpr Code kLogUnavailable = "log-unavailable";
inline constexpr Code kLogAccessRefused = "log-access-refused";  // log-in, certificate or rights
inline constexpr Code kLogTruncated = "log-truncated";
inline constexpr Code kLogIoError = "log-io-error";
inline constexpr Code kLogCorrupt = "log-corrupt";

// The reader's position is not, or no longer, in the log. Reading on needs another position.
inline bool is_out_of_range(const Error& error) { return error.code == kOffsetOutOfRange; }
// The log ends before a place that it had reached (P26).
inline bool is_log_truncated(const Error& error) { return error.code == kLogTruncated; }
// The log cannot be reached for now. The same call may succeed later.
inline bool is_log_unavailable(const Error& error) { return error.code == kLogUnavailable; }
// No append succeeds any more until the log is opened again, or at all.
inline bool is_log_broken(const Error& error) {
  return error.code == kLogIoError || error.code == kLogCorrupt;
}
// The same call may succeed later: the log comes back, or what its disk lacks.
inline bool may_retry(const Error& error) { return is_log_unavailable(error) || may_pass(error); }

}  // namespace berth
