// The sealing keys of test clusters.
#pragma once

#include "events/codec/key_pair_seal.h"
#include "events/schema/v1/event.pb.h"
#include "tests/support/ids.h"

namespace berth::testing {

inline SealingRing test_sealing_ring() {
  SealingRing ring;
  ring.add({1, std::string(kSealKeyBytes, 's')});
  return ring;
}

// A KeyPairDefined with this secret, sealed for the test cluster.
inline v1::Event with_secret(v1::Event key_pair, std::string_view secret) {
  KeyPairSeal(test_cluster(), test_sealing_ring()).seal(*key_pair.mutable_key_pair_defined(), secret);
  return key_pair;
}

}  // namespace berth::testing
