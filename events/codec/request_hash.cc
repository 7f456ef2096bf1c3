#include "events/codec/request_hash.h"

namespace berth {

Hash128 request_body_hash(const v1::Request& request) {
  v1::Request asked = request;
  asked.clear_sent_ms();
  asked.clear_not_after_ms();
  asked.clear_trace();
  return blake2b_128(asked.SerializeAsString());
}

}  // namespace berth
