#include "projections/audit/signed_head.h"

#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/base/strict_json.h"
#include "events/codec/chain_head.h"

namespace berth::projections {
namespace {

namespace json = boost::json;

Error damaged(const std::string& why) {
  return make_error("head-damaged", "this is no whole signed chain head: " + why,
                    "it is one JSON object, as `berth audit head` printed it");
}

std::optional<std::string> bytes_at(const json::object& object, std::string_view name, std::size_t size) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_string() || value->get_string().size() != 2 * size) return std::nullopt;
  return from_hex(std::string_view(value->get_string()));
}

// Of any length.
std::optional<std::string> bytes_at(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value == nullptr || !value->is_string() ? std::nullopt
                                                 : from_hex(std::string_view(value->get_string()));
}

std::optional<std::uint64_t> number_at(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_int64() || value->get_int64() < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value->get_int64());
}

}  // namespace

bool SignedHead::is_right() const {
  v1::ChainHeadRecorded head;
  head.mutable_claim()->set_offset(offset);
  head.mutable_claim()->set_rolling(rolling);
  head.set_state_hash(state_hash);
  head.set_from(from);
  head.set_applied(applied);
  head.set_voids(voids);
  return is_signed_by(key, signature, chain_head_bytes(cluster, head));
}

SignedHead signed_head_of(const HeadRow& row) {
  return {row.cluster, row.head_key,   row.from,  row.offset,   row.applied,
          row.rolling, row.state_hash, row.voids, row.signature};
}

SignedHead signed_head_of(const Uuid& cluster, const v1::ChainHeadRecorded& head) {
  return {cluster,         head.head_key(),        head.from(),       head.claim().offset(),
          head.applied(),  head.claim().rolling(), head.state_hash(), head.voids(),
          head.signature()};
}

json::object to_json(const SignedHead& head) {
  return {{"cluster_id", to_string(head.cluster)},
          {"key", to_hex(head.key)},
          {"from", head.from},
          {"offset", head.offset},
          {"count", head.applied},
          {"rolling_hash", to_hex(head.rolling)},
          {"state_hash", to_hex(head.state_hash)},
          {"voids", to_hex(head.voids)},
          {"signature", to_hex(head.signature)}};
}

Result<SignedHead> read_head(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return damaged("no object");
  SignedHead head;
  const auto* cluster = object->if_contains("cluster_id");
  const auto id = cluster != nullptr && cluster->is_string()
                      ? Uuid::parse(std::string_view(cluster->get_string()))
                      : std::nullopt;
  if (!id) return damaged("no cluster_id");
  head.cluster = *id;
  struct Bytes {
    const char* name;
    std::string SignedHead::*field;
    std::size_t size;
  };
  for (const Bytes& each : {Bytes{"key", &SignedHead::key, kHeadKeyBytes},
                            Bytes{"rolling_hash", &SignedHead::rolling, sizeof(Hash256)},
                            Bytes{"state_hash", &SignedHead::state_hash, sizeof(Hash128)},
                            Bytes{"signature", &SignedHead::signature, kHeadSignatureBytes}}) {
    const auto bytes = bytes_at(*object, each.name, each.size);
    if (!bytes) return damaged(std::string("its ") + each.name + " is missing or cut");
    head.*each.field = *bytes;
  }
  const auto voids = bytes_at(*object, "voids");
  if (!voids) return damaged("its voids are missing or cut");
  head.voids = *voids;
  const auto from = number_at(*object, "from"), offset = number_at(*object, "offset"),
             count = number_at(*object, "count");
  if (!from || !offset || !count) return damaged("its from, offset or count is missing");
  head.from = *from;
  head.offset = *offset;
  head.applied = *count;
  if (!head.is_right()) return damaged("its signature does not fit what it says");
  return head;
}

Result<SignedHead> read_head(std::string_view text) {
  const auto value = read_strict_json(text, 8);
  if (!value) return damaged(value.error().message);
  return read_head(*value);
}

}  // namespace berth::projections
