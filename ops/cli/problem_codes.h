// Codes of the server's problems that the CLI acts on; the server documents them in openapi.json.
#pragma once

#include "events/base/codes/code.h"

namespace berth::cli {

inline constexpr Code kNameInUse = "name-in-use";
inline constexpr Code kFolderPurging = "folder-purging";
inline constexpr Code kIdempotencyConflict = "idempotency-conflict";
inline constexpr Code kOutcomeUnknown = "outcome-unknown";
inline constexpr Code kPositionNotReached = "position-not-reached";
inline constexpr Code kSessionsEnding = "sessions-ending";
inline constexpr Code kUnknownPolicy = "unknown-policy";

// The CLI's own: a success that Berth has not said.
inline constexpr Code kNotBerthCode = "not-berth";

}  // namespace berth::cli
