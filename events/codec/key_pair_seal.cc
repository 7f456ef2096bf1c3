#include "events/codec/key_pair_seal.h"

namespace berth {

void KeyPairSeal::seal(v1::KeyPairDefined& key, std::string_view secret) const {
  *key.mutable_secret() =
      ring_.newest().seal(secret, SealBinding::of_key_pair(cluster_, key.user(), key.id()));
}

Result<std::string> KeyPairSeal::open(const v1::KeyPairDefined& key) const {
  return ring_.open(key.secret(), SealBinding::of_key_pair(cluster_, key.user(), key.id()));
}

}  // namespace berth
