// Codes of the server's problems that the CLI acts on; the server documents them in openapi.json.
#pragma once

namespace berth::cli {

inline constexpr char kNameInUse[] = "name-in-use";
inline constexpr char kFolderPurging[] = "folder-purging";
inline constexpr char kIdempotencyConflict[] = "idempotency-conflict";
inline constexpr char kOutcomeUnknown[] = "outcome-unknown";
inline constexpr char kPositionNotReached[] = "position-not-reached";
inline constexpr char kSessionsEnding[] = "sessions-ending";
inline constexpr char kUnknownPolicy[] = "unknown-policy";

// The CLI's own: a success that Berth has not said.
inline constexpr char kNotBerthCode[] = "not-berth";

}  // namespace berth::cli
