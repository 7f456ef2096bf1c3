// A one-time token by which an agent's machine gets its key (P1). Whoever makes it keeps it; servers and the
// journal know its hash alone.
#pragma once

#include <string>
#include <string_view>

#include "events/base/hash.h"

namespace berth::controller::api {

// BLAKE2b-128 of the token's text.
inline Hash128 hash_of_token(std::string_view token) { return blake2b_128(token); }

}  // namespace berth::controller::api
