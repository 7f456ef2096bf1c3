// What a backup is: the journal in pieces, and a manifest that is written last. Pure.
//
//   journal-00000000, journal-00000001, ...   records in offset order; a frame a record: u32 length (little
//                                             endian), payload. Length 0xffffffff: no record there (P30)
//   secrets                                   cluster.json under a passphrase (secrets_box.h); only if asked
//   manifest.json                             of what cluster, up to where, with hashes; no manifest: the
//                                             backup is not whole
// As a stream it is a tar of these files, in this order: what `tar xf` makes of it is the folder.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "events/base/clock.h"
#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/log/event_log.h"

namespace berth::cli {

inline constexpr char kManifestName[] = "manifest.json";
inline constexpr char kSecretsName[] = "secrets";
inline constexpr std::size_t kPieceBytes = 4u << 20;  // a piece of the journal is cut behind it
inline constexpr std::size_t kPiecesMax = 10'000'000;

struct JournalPiece {
  Offset from = 0;
  std::uint64_t records = 0;  // gaps included
  std::uint64_t bytes = 0;
  std::string hash;  // BLAKE2b-256, hexadecimal
};

inline constexpr std::int64_t kBackupFormat = 1;

struct Manifest {
  std::int64_t format = kBackupFormat;
  std::string id;  // 32 hexadecimal digits
  Uuid cluster;
  std::string log;          // the URL of the original's log, for people
  std::string endpoint;     // through which it was taken
  std::string fingerprint;  // of its certificate
  std::string version;      // of the server
  std::uint32_t rules = 0;
  Timestamp taken = 0;  // header time of its last record
  Offset next = 0;      // records [0, next)
  std::string rolling_hash, state_hash;
  bool with_secrets = false;
  // Without these keys some secrets of it do not open; empty: it has none, or is of an older version.
  std::set<std::uint32_t> sealing_keys;
  std::vector<JournalPiece> pieces;
};

std::string piece_name(std::size_t number);
boost::json::object manifest_json(const Manifest& manifest);
// Codes: backup-damaged, backup-too-new, made-before-0.1.0.
Result<Manifest> parse_manifest(std::string_view text);

// Adds a record, or where `payload` is null a gap, to a piece.
void append_frame(std::string& piece, const std::string* payload);
// Calls f for each record of a piece until f returns an error. Code: backup-damaged, and those of f.
Result<void> read_frames(std::string_view piece, const JournalPiece& about,
                         const std::function<Result<void>(LogEntry)>& f);

// What the secrets of a backup are bound to: all that its manifest says. Of format 1: its id and its journal.
std::string bound_to(const Manifest& manifest);

Error damaged_backup(const std::string& why);

}  // namespace berth::cli
