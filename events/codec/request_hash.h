// The hash that tells a repeated request from another one under the same idempotency key (P13).
#pragma once

#include "events/base/hash.h"
#include "events/schema/v1/request.pb.h"

namespace berth {

// Covers all fields but sent_ms, not_after_ms and trace, in which a retry may differ.
Hash128 request_body_hash(const v1::Request& request);

}  // namespace berth
