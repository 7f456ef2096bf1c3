// Codes of a Transport's errors; "interrupted" is in exit_code.h. A caller asks by function and compares no
// text.
#pragma once

#include <string>

#include "events/base/result.h"
#include "ops/cli/http/unit_hint.h"

namespace berth::cli {

inline constexpr Code kUnreachableCode =
    "unreachable";  // no connection, or it broke before the reply was whole
inline constexpr Code kReplyTimeoutCode = "reply-timeout";  // the deadline passed
inline constexpr Code kStreamIdleCode = "stream-idle";      // stream() only: nothing came for `idle`
inline constexpr Code kReplyTooLongCode = "reply-too-long";
inline constexpr Code kUntrustedCode = "untrusted";  // the server's certificate is not the expected one

inline Error unreachable_error(const std::string& host, const std::string& port, const std::string& why) {
  return make_error(kUnreachableCode, "no answer from " + host + ":" + port + ": " + why,
                    unreachable_hint(host));
}
inline bool is_unreachable(const Error& error) { return error.code == kUnreachableCode; }
inline bool is_reply_timeout(const Error& error) { return error.code == kReplyTimeoutCode; }
inline bool is_stream_idle(const Error& error) { return error.code == kStreamIdleCode; }

}  // namespace berth::cli
