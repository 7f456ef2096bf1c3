#include "controller/runtime/cluster_identity.h"

#include <boost/json.hpp>

#include "events/base/files/private_files.h"
#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/base/secrets.h"

namespace berth::controller {
namespace {

namespace json = boost::json;

constexpr std::size_t kSealingKeysMax = 500;  // less than a private file holds

// What the file says, and its text: what this build does not know stays in it.
struct ClusterFile {
  json::object text;
  ClusterIdentity identity;
};

Error malformed(const std::string& path,
                const char* is_not = "{\"cluster\": UUID, \"secret\": 64 hex digits}") {
  return make_error("cluster-file-malformed", path + " is not " + is_not,
                    "restore it from a backup: without it the cluster's log cannot be joined");
}

json::object entry_of(std::int64_t number, std::string_view key) {
  return {{"number", number}, {"key", to_hex(key)}};
}

bool read_sealing_keys(const json::value& list, SealingRing& ring) {
  if (!list.is_array() || list.get_array().empty()) return false;
  for (const auto& entry : list.get_array()) {
    const auto* one = entry.if_object();
    const auto* number = one != nullptr ? one->if_contains("number") : nullptr;
    const auto* key = one != nullptr ? one->if_contains("key") : nullptr;
    if (number == nullptr || key == nullptr || !number->is_int64() || !key->is_string()) return false;
    const auto bytes = from_hex(std::string_view(key->get_string().data(), key->get_string().size()));
    const std::int64_t value = number->get_int64();
    if (!bytes || bytes->size() != kSealKeyBytes || value < 1 || value > UINT32_MAX) return false;
    ring.add({static_cast<std::uint32_t>(value), *bytes});
  }
  return true;
}

Result<ClusterFile> read_file(const std::string& path) {
  const auto text = read_private_file(path, "cluster-file", "copy it from another controller of the cluster");
  if (!text) return text.error();
  boost::system::error_code ec;
  auto value = json::parse(*text, ec);
  auto* object = ec ? nullptr : value.if_object();
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
  // A file of an older build has no list: every node derives the same key then.
  if (!object->contains("sealing_keys"))
    object->emplace("sealing_keys",
                    json::array{entry_of(1, as_view(blake2b_256(identity.secret, "berth-sealing-key")))});
  if (!read_sealing_keys(object->at("sealing_keys"), identity.sealing))
    return malformed(path,
                     "right: its sealing_keys are no list of {\"number\": 1.., \"key\": 64 hex digits}");
  return ClusterFile{std::move(*object), std::move(identity)};
}

Result<void> write_file(const std::string& path, const json::object& text) {
  return write_private_file(path, json::serialize(text) + "\n", "cluster-file");
}

}  // namespace

Result<ClusterIdentity> read_cluster_identity(const std::string& path) {
  auto file = read_file(path);
  if (!file) return file.error();
  return std::move(file->identity);
}

Result<ClusterIdentity> load_or_create_cluster_identity(const std::string& path) {
  if (auto found = read_cluster_identity(path); found.ok() || !is_cluster_file_missing(found.error()))
    return found;
  ClusterIdentity identity{SystemRandom().uuid(), random_bytes(32), true, {}};
  const std::string sealing_key = random_bytes(kSealKeyBytes);
  identity.sealing.add({1, sealing_key});
  const auto written = write_file(path, {{"cluster", to_string(identity.cluster)},
                                         {"secret", to_hex(identity.secret)},
                                         {"signs_journal", true},
                                         {"sealing_keys", json::array{entry_of(1, sealing_key)}}});
  if (!written) return written.error();
  return identity;
}

Result<std::uint32_t> add_sealing_key(const std::string& path) {
  auto file = read_file(path);
  if (!file) return file.error();
  json::array& keys = file->text.at("sealing_keys").get_array();
  const std::uint32_t newest = file->identity.sealing.newest().number();
  if (keys.size() >= kSealingKeysMax || newest == UINT32_MAX)
    return make_error("too-many-sealing-keys", path + " has no room for another key",
                      "nothing needs so many: was this asked in a loop?");
  keys.push_back(entry_of(std::int64_t{newest} + 1, random_bytes(kSealKeyBytes)));
  if (auto written = write_file(path, file->text); !written) return written.error();
  return newest + 1;
}

}  // namespace berth::controller
