// The MAC of one agent's ack (P1): acks travel in batches for many agents, each under its agent's own key.
#pragma once

#include <string_view>

#include "events/base/hash.h"
#include "events/base/uuid.h"
#include "events/schema/v1/report.pb.h"

namespace berth {

// Covers {batch.epoch, batch.election_nonce, every field of `ack` but the MAC}, in fixed-width little-endian
// and lengths, so that the MAC does not depend on protobuf's encoding. `key`: the agent's derived key.
Hash128 ack_mac(std::string_view key, const Uuid& cluster, const v1::Acks& batch, const v1::Ack& ack);

// Returns true if `ack` of `batch` carries the right MAC. Constant time.
bool ack_mac_fits(std::string_view key, const Uuid& cluster, const v1::Acks& batch, const v1::Ack& ack);

}  // namespace berth
