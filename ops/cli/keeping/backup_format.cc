#include "ops/cli/keeping/backup_format.h"

#include <cstdio>

#include "events/base/hash.h"
#include "events/base/wire_time.h"
#include "events/codec/made_before.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr std::uint32_t kGapFrame = 0xffffffff;

Result<JournalPiece> parse_piece(const json::value& value, std::size_t number, Offset expected) {
  JournalPiece piece;
  piece.from = static_cast<Offset>(integer_at(value, "from"));
  piece.records = static_cast<std::uint64_t>(integer_at(value, "records"));
  piece.bytes = static_cast<std::uint64_t>(integer_at(value, "bytes"));
  piece.hash = text_at(value, "blake2b");
  const bool fits = piece.from == expected && piece.records > 0 && piece.records <= piece.bytes / 4 &&
                    piece.bytes <= kPieceBytes + kPayloadBytesMax + 4 && piece.hash.size() == 64;
  if (!fits || text_at(value, "name") != piece_name(number))
    return damaged_backup("its manifest does not list piece " + std::to_string(number) + " as it must");
  return piece;
}

Result<void> parse_pieces(const json::value& value, Manifest& manifest) {
  const json::array& list = array_at(value, "journal");
  if (list.size() > kPiecesMax) return damaged_backup("its manifest lists too many pieces");
  Offset next = 0;
  for (const auto& one : list) {
    auto piece = parse_piece(one, manifest.pieces.size(), next);
    if (!piece) return piece.error();
    next += piece->records;
    manifest.pieces.push_back(std::move(*piece));
  }
  if (next != manifest.next || next == 0)
    return damaged_backup("its pieces do not reach the end that its manifest names");
  return {};
}

}  // namespace

Error damaged_backup(const std::string& why) {
  return make_error("backup-damaged", "this is no whole backup: " + why, "take another copy of it");
}

std::string piece_name(std::size_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "journal-%08zu", number);
  return name;
}

json::object manifest_json(const Manifest& m) {
  json::array pieces;
  for (const JournalPiece& piece : m.pieces)
    pieces.push_back(json::object{{"name", piece_name(pieces.size())},
                                  {"from", piece.from},
                                  {"records", piece.records},
                                  {"bytes", piece.bytes},
                                  {"blake2b", piece.hash}});
  json::object out{{"backup_format", m.format},
                   {"id", m.id},
                   {"cluster_id", to_string(m.cluster)},
                   {"version", m.version},
                   {"rules", m.rules},
                   {"taken_at", format_time(m.taken)},
                   {"taken_ns", m.taken},
                   {"records", m.next},
                   {"position", m.next - 1},
                   {"rolling_hash", m.rolling_hash},
                   {"state_hash", m.state_hash},
                   {"endpoint", m.endpoint},
                   {"fingerprint", m.fingerprint},
                   {"log", m.log},
                   {"with_secrets", m.with_secrets},
                   {"journal", std::move(pieces)}};
  if (!m.sealing_keys.empty())
    out["sealing_keys"] = json::array(m.sealing_keys.begin(), m.sealing_keys.end());
  return out;
}

std::string bound_to(const Manifest& m) { return "berth backup " + json::serialize(manifest_json(m)); }

Result<Manifest> parse_manifest(std::string_view text) {
  boost::system::error_code ec;
  const json::value value = json::parse(text, ec);
  if (!ec && value.is_object() && value.get_object().contains("berth_backup"))
    return made_before("this backup");
  if (ec || !value.is_object() || !value.get_object().contains("backup_format"))
    return damaged_backup("its manifest is not what `berth backup` writes");
  const std::int64_t format = integer_at(value, "backup_format");
  if (format < 1 || format > kBackupFormat)
    return make_error("backup-too-new", "this backup has a format that this build does not know",
                      "restore it with the version of Berth that took it, or a newer one");
  Manifest m;
  m.format = format;
  const auto cluster = Uuid::parse(text_at(value, "cluster_id"));
  m.id = text_at(value, "id");
  m.log = text_at(value, "log");
  m.endpoint = text_at(value, "endpoint");
  m.fingerprint = text_at(value, "fingerprint");
  m.version = text_at(value, "version");
  m.rules = static_cast<std::uint32_t>(integer_at(value, "rules"));
  m.taken = integer_at(value, "taken_ns");
  m.next = static_cast<Offset>(integer_at(value, "records"));
  m.rolling_hash = text_at(value, "rolling_hash");
  m.state_hash = text_at(value, "state_hash");
  m.with_secrets = true_at(value, "with_secrets");
  for (const auto& key : array_at(value, "sealing_keys"))
    if (key.is_int64() && key.get_int64() > 0 && key.get_int64() <= UINT32_MAX)
      m.sealing_keys.insert(static_cast<std::uint32_t>(key.get_int64()));
  if (!cluster || m.id.size() != 32 || m.rolling_hash.size() != 64 || m.state_hash.size() != 32)
    return damaged_backup("its manifest lacks the cluster, its id or a hash");
  if (m.log.empty() || m.endpoint.empty() || m.taken <= 0)
    return damaged_backup("its manifest does not say when, where and of what it was taken");
  m.cluster = *cluster;
  if (auto pieces = parse_pieces(value, m); !pieces) return pieces.error();
  return m;
}

void append_frame(std::string& piece, const std::string* payload) {
  const auto length = payload == nullptr ? kGapFrame : static_cast<std::uint32_t>(payload->size());
  for (int shift = 0; shift < 32; shift += 8) piece += static_cast<char>(length >> shift & 255);
  if (payload != nullptr) piece += *payload;
}

Result<void> read_frames(std::string_view piece, const JournalPiece& about,
                         const std::function<Result<void>(LogEntry)>& f) {
  if (to_hex(as_view(blake2b_256(piece))) != about.hash)
    return damaged_backup("the records from offset " + std::to_string(about.from) + " on are damaged");
  for (std::uint64_t i = 0; i < about.records; ++i) {
    if (piece.size() < 4) return damaged_backup("a piece ends within a record");
    std::uint32_t length = 0;
    for (std::size_t k = 0; k < 4; ++k)
      length |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(piece[k])) << (8 * k);
    piece.remove_prefix(4);
    const bool gap = length == kGapFrame;
    if (!gap && length > piece.size()) return damaged_backup("a piece ends within a record");
    LogEntry entry{{Stream::kJournal, 0}, about.from + i, {}, gap};
    if (!gap) {
      entry.payload = piece.substr(0, length);
      piece.remove_prefix(length);
    }
    if (auto done = f(std::move(entry)); !done) return done;
  }
  if (!piece.empty()) return damaged_backup("a piece has more than its records");
  return {};
}

}  // namespace berth::cli
