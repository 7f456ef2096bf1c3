// What tells a repeated request from another one under the same idempotency key (P13).
#pragma once

#include "events/base/hash.h"
#include "events/schema/v1/request.pb.h"

namespace berth {

// A hash over all fields but sent_ms, wall_ms, not_after_ms and trace, in which a retry may differ. Of a
// request with a secret: the keyed hash that an API server stamped on it (P29), since an unkeyed one would
// help to guess the secret.
struct RequestHash {
  Hash128 bytes{};
  bool keyed = false;
  bool operator==(const RequestHash&) const = default;
};
RequestHash request_hash(const v1::Request& request);

// What the hash is taken over.
std::string hashed_bytes(const v1::Request& request);

}  // namespace berth
