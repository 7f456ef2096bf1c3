// Whether a stream into a kernel may go on, by what the state says now. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/api/map/session_lookup.h"
#include "events/base/result.h"
#include "projections/rights.h"

namespace berth::controller::api {

// Of whom and what a stream is.
struct StreamFacts {
  Caller caller;
  bool key_in_journal = false;   // the caller's key pair was there when the stream began
  bool user_in_journal = false;  // the user was
  projections::Noun noun = projections::Noun::kExec;
  bool changes = true;  // a key pair that only reads may not
  SessionId session;
  KernelId kernel;
  std::uint32_t attempt = 0;
  Timestamp used_at = 0;  // wall time when somebody used it last; a browser session that is used does not end
};

// Codes: session-ended, signed-out, access-lost. `idle`: a browser session that nobody used for so long has
// ended.
std::optional<Error> why_over(const projections::State& state, const StreamFacts& facts, Timestamp now,
                              Duration idle);

}  // namespace berth::controller::api
