#include "events/codec/request_hash.h"

#include <algorithm>

namespace berth {

std::string hashed_bytes(const v1::Request& request) {
  v1::Request asked = request;
  asked.clear_sent_ms();
  asked.clear_wall_ms();
  asked.clear_not_after_ms();
  asked.clear_trace();
  return asked.SerializeAsString();
}

RequestHash request_hash(const v1::Request& request) {
  RequestHash hash{{}, request.keyed_hash().size() == sizeof(Hash128)};
  if (hash.keyed)
    std::copy(request.keyed_hash().begin(), request.keyed_hash().end(), hash.bytes.begin());
  else
    hash.bytes = blake2b_128(hashed_bytes(request));
  return hash;
}

}  // namespace berth
