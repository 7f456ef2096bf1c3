// What tells a repeated request from another one under the same idempotency key (P13).
#pragma once

#include "events/base/hash.h"
#include "events/schema/v1/request.pb.h"

namespace berth {

// Of what is asked and for whom: a retry that differs in sent_ms, not_after_ms or trace alone hashes the
// same.
Hash128 request_body_hash(const v1::Request& request);

}  // namespace berth
