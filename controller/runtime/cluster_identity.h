// ClusterIdentity: the cluster's id, and the secret of its controllers and API servers (P1, P2).
//
// <data>/cluster.json, 0600. A second controller of the same cluster gets a copy of the file.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/codec/sealing.h"

namespace berth::controller {

struct ClusterIdentity {
  Uuid cluster;
  std::string secret;  // 32 bytes
  // The cluster was made by a build that signs every record of the journal: one without a signature is void.
  bool signs_journal = false;
  SealingRing sealing;  // of the secrets in requests and in the journal (P29)
};

inline constexpr char kClusterFileMissing[] = "cluster-file-missing";
inline bool is_cluster_file_missing(const Error& error) { return error.code == kClusterFileMissing; }

// Codes: cluster-file-malformed, and those of read_private_file().
Result<ClusterIdentity> read_cluster_identity(const std::string& path);
// Makes a new identity if there is no file; of a log that may hold a journal, identity_for_log() does it.
// Further code: cluster-file-unwritable.
Result<ClusterIdentity> load_or_create_cluster_identity(const std::string& path);

// Adds a sealing key to the file and returns its number. It seals from a server's next start on; those before
// it go on opening what they sealed. Codes: those of read_cluster_identity(), too-many-sealing-keys,
// cluster-file-unwritable.
Result<std::uint32_t> add_sealing_key(const std::string& path);

}  // namespace berth::controller
