// Which secrets of a restored cluster no sealing key would open (P29).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "controller/runtime/cluster_identity.h"
#include "projections/tables/state.h"

namespace berth::cli {

struct LostSecrets {
  std::vector<std::string> keys, passwords;  // ids of key pairs, and users
  std::size_t others = 0;                    // environments of sessions, and the key of chain heads
  std::set<std::uint32_t> sealed_with;       // numbers of sealing keys

  // The key with which the restored cluster would seal is destroyed: nobody could sign in any more.
  bool seals_with_none = false;

  bool empty() const { return sealed_with.empty() && !seals_with_none; }
};

// Opens every live secret with the keys of cluster.json and those that the log brought in boxes of them
// (`added`, oldest first), as a server does that reads the log from its beginning.
LostSecrets find_lost_secrets(const projections::State& state, const std::vector<v1::SealKeyAdded>& added,
                              const controller::ClusterIdentity& identity);

// "2 key pairs (AK1, AK2), 1 password (alice)".
std::string to_string(const LostSecrets& lost);

}  // namespace berth::cli
