// KeyPairSeal: the secrets of key pairs, which are sealed wherever a key pair is written (P29).
#pragma once

#include <string>
#include <string_view>

#include "events/codec/sealing.h"
#include "events/schema/v1/event.pb.h"

namespace berth {

// Of one cluster. Cheap to copy; thread-safe.
class KeyPairSeal {
 public:
  KeyPairSeal(const Uuid& cluster, SealingRing ring) : cluster_(cluster), ring_(std::move(ring)) {}

  // Puts the secret into the key pair. REQUIRES: its user and id are set; the ring is not empty.
  void seal(v1::KeyPairDefined& key, std::string_view secret) const;
  // The secret; takes about a microsecond. Codes: those of SealingRing::open.
  Result<std::string> open(const v1::KeyPairDefined& key) const;

 private:
  Uuid cluster_;
  SealingRing ring_;
};

}  // namespace berth
