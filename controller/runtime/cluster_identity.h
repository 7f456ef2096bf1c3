// ClusterIdentity: the cluster's id, and the secret of its controllers and API servers (P1, P2).
//
// <data>/cluster.json, 0600. A second controller of the same cluster gets a copy of the file.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/codec/sealing.h"
#include "events/codec/writer_secrets.h"

namespace berth::controller {

struct ClusterIdentity {
  Uuid cluster;
  std::string secret;   // 32 bytes
  SealingRing sealing;  // of the secrets in requests and in the journal (P29)
  // Of the keys of agents and producers (ADR 0097), oldest first; empty: they are of the secret.
  std::vector<WriterSecret> writers = {};
};

inline constexpr Code kClusterFileMissing = "cluster-file-missing";
inline bool is_cluster_file_missing(const Error& error) { return error.code == kClusterFileMissing; }

// Codes: cluster-file-malformed, made-before-0.1.0, and those of read_private_file().
Result<ClusterIdentity> read_cluster_identity(const std::string& path);
// The same of a file's text; `path` is for people.
Result<ClusterIdentity> parse_cluster_identity(const std::string& text, const std::string& path);
// Makes a new identity if there is no file; of a log that may hold a journal, identity_for_log() does it.
// Further code: cluster-file-unwritable.
Result<ClusterIdentity> load_or_create_cluster_identity(const std::string& path);

// Refuses a data folder that holds another cluster than when it was opened last, or none: its disk may not be
// mounted. Before anything is made in it. `record`: as record_of_cluster() has it; "": nothing is remembered.
// Codes: those of check_known_folder().
Result<void> check_known_cluster(const std::string& data, const std::string& record);
// Remembers it where is_worth_remembering() says so. What fails is for people; "": nothing did.
std::string remember_cluster(const std::string& data, const std::string& record, const Uuid& cluster,
                             bool is_service);

// Keeps a key that the log brought, in the place of another of its number (whose records the log lost), and
// erases one that it destroyed: no error if it is there, or gone, already. Codes: those of
// read_cluster_identity(), cluster-file-unwritable.
Result<void> store_sealing_key(const std::string& path, std::uint32_t number, std::string_view key);
Result<void> erase_sealing_key(const std::string& path, std::uint32_t number);

// Makes a new secret for the keys of agents and producers; `given_out` are those of the one before, which
// stays good for them. Codes: those of read_cluster_identity(), writers-rotate-already,
// cluster-file-unwritable.
Result<void> begin_writers_rotation(const std::string& path, const WriterGenerations& given_out);
// Gives the secret before up. Codes: those of read_cluster_identity(), no-writers-rotation,
// cluster-file-unwritable.
Result<void> finish_writers_rotation(const std::string& path);

}  // namespace berth::controller
