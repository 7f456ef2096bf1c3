#include "controller/runtime/cluster_identity.h"

#include <boost/json.hpp>

#include "events/base/files/private_files.h"
#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/base/secrets.h"

namespace berth::controller {
namespace {

Error malformed(const std::string& path) {
  return make_error("cluster-file-malformed", path + " is not {\"cluster\": UUID, \"secret\": 64 hex digits}",
                    "restore it from a backup: without it the cluster's log cannot be joined");
}

// A file of an older build has none: every node derives the same one then.
bool read_sealing_keys(const boost::json::object& file, ClusterIdentity& identity) {
  const auto* list = file.if_contains("sealing_keys");
  if (list == nullptr) {
    identity.sealing.add({1, std::string(as_view(blake2b_256(identity.secret, "berth-sealing-key")))});
    return true;
  }
  if (!list->is_array() || list->get_array().empty()) return false;
  for (const auto& entry : list->get_array()) {
    const auto* one = entry.if_object();
    const auto* number = one != nullptr ? one->if_contains("number") : nullptr;
    const auto* key = one != nullptr ? one->if_contains("key") : nullptr;
    if (number == nullptr || key == nullptr || !number->is_int64() || !key->is_string()) return false;
    const auto bytes = from_hex(std::string_view(key->get_string().data(), key->get_string().size()));
    const std::int64_t value = number->get_int64();
    if (!bytes || bytes->size() != kSealKeyBytes || value < 1 || value > UINT32_MAX) return false;
    identity.sealing.add({static_cast<std::uint32_t>(value), *bytes});
  }
  return true;
}

}  // namespace

Result<ClusterIdentity> read_cluster_identity(const std::string& path) {
  const auto text = read_private_file(path, "cluster-file", "copy it from another controller of the cluster");
  if (!text) return text.error();
  boost::system::error_code ec;
  const auto json = boost::json::parse(*text, ec);
  const auto* object = ec ? nullptr : json.if_object();
  if (object == nullptr || !object->contains("cluster") || !object->contains("secret"))
    return malformed(path);
  const auto* cluster = object->at("cluster").if_string();
  const auto* secret = object->at("secret").if_string();
  if (cluster == nullptr || secret == nullptr) return malformed(path);
  const auto id = Uuid::parse(std::string_view(cluster->data(), cluster->size()));
  ClusterIdentity identity{id.value_or(Uuid{}),
                           from_hex(std::string_view(secret->data(), secret->size())).value_or(""),
                           false,
                           {}};
  if (!id || identity.secret.size() != 32) return malformed(path);
  const auto* signs = object->if_contains("signs_journal");
  identity.signs_journal = signs != nullptr && signs->is_bool() && signs->get_bool();
  if (!read_sealing_keys(*object, identity)) return malformed(path);
  return identity;
}

Result<ClusterIdentity> load_or_create_cluster_identity(const std::string& path) {
  if (auto found = read_cluster_identity(path); found.ok() || found.error().code != "cluster-file-missing")
    return found;
  ClusterIdentity identity{SystemRandom().uuid(), random_bytes(32), true, {}};
  const std::string sealing_key = random_bytes(kSealKeyBytes);
  identity.sealing.add({1, sealing_key});
  boost::json::object json{
      {"cluster", to_string(identity.cluster)},
      {"secret", to_hex(identity.secret)},
      {"signs_journal", true},
      {"sealing_keys", boost::json::array{{{"number", 1}, {"key", to_hex(sealing_key)}}}}};
  if (auto written = write_private_file(path, boost::json::serialize(json) + "\n", "cluster-file"); !written)
    return written.error();
  return identity;
}

}  // namespace berth::controller
