// A one-time token by which an agent's machine gets its key (P1). Whoever makes it keeps it; servers and the
// journal know its hash alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/result.h"

namespace berth::controller::api {

// BLAKE2b-128 of the token's text.
inline Hash128 hash_of_token(std::string_view token) { return blake2b_128(token); }

// Code token-not-valid. `expired`: until when the token was good, if that alone is wrong, which only somebody
// who has the token may learn. `renew`: the command that makes another.
Error token_not_valid(const std::string& whose, std::optional<Timestamp> expired, Timestamp now,
                      const std::string& renew);

}  // namespace berth::controller::api
