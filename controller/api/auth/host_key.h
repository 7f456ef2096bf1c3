// The host's key pair: who can read the cluster's file on a server's machine may make login links by it, and
// nothing else. Pure.
#pragma once

#include <string>
#include <string_view>

#include "events/base/hash.h"

namespace berth::controller::api {

inline constexpr std::string_view kHostAccessKey = "cluster";

// REQUIRES: the secret of a cluster's file.
inline std::string host_secret_key(std::string_view cluster_secret) {
  return to_hex(as_view(blake2b_256(cluster_secret, "login links")));
}

}  // namespace berth::controller::api
