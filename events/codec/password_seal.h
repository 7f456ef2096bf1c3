// PasswordSeal: the hashes of passwords, which are sealed wherever they are written (P29): who reads the
// journal gets nothing to guess at.
#pragma once

#include <string>
#include <string_view>

#include "events/codec/sealing.h"

namespace berth {

// Of one cluster. Cheap to copy; thread-safe.
class PasswordSeal {
 public:
  PasswordSeal(const Uuid& cluster, SealingRing ring) : cluster_(cluster), ring_(std::move(ring)) {}

  // REQUIRES: the ring is not empty.
  v1::Sealed seal(std::string_view user, std::string_view password_hash) const {
    return ring_.newest().seal(password_hash, SealBinding::of_password(cluster_, user));
  }
  // Codes: those of SealingRing::open.
  Result<std::string> open(std::string_view user, const v1::Sealed& sealed) const {
    return ring_.open(sealed, SealBinding::of_password(cluster_, user));
  }
  // The same on every server of the cluster; as good as chance to who does not hold its keys. For what is no
  // secret a person chose: it is quick to try.
  Hash128 keyed_hash(std::string_view bytes) const { return ring_.oldest().keyed_hash(bytes); }

 private:
  Uuid cluster_;
  SealingRing ring_;
};

}  // namespace berth
