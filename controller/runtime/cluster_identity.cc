#include "controller/runtime/cluster_identity.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "events/base/files/descriptor.h"
#include "events/base/files/known_folder.h"
#include "events/base/files/private_files.h"
#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/base/secrets.h"
#include "events/codec/made_before.h"

namespace berth::controller {
namespace {

namespace json = boost::json;

constexpr std::size_t kWriterSecretBytes = 32;
constexpr std::int64_t kFormat = 1;

// What the file says, and its text: what this build does not know stays in it.
struct ClusterFile {
  json::object text;
  ClusterIdentity identity;
};

Error malformed(const std::string& path,
                const char* is_not = "{\"format\": 1, \"cluster\": UUID, \"secret\": 64 hex digits, ...}") {
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

bool read_up_to(const json::value& of, WriterGenerations& up_to) {
  if (!of.is_object()) return false;
  for (const auto& [writer, generation] : of.get_object()) {
    if (!generation.is_int64() || generation.get_int64() < 0 || generation.get_int64() > UINT32_MAX)
      return false;
    up_to.emplace(writer, static_cast<std::uint32_t>(generation.get_int64()));
  }
  return true;
}

bool read_writers(const json::value& list, std::vector<WriterSecret>& writers) {
  if (!list.is_array() || list.get_array().empty()) return false;
  for (const auto& entry : list.get_array()) {
    const auto* one = entry.if_object();
    const auto* secret = one != nullptr ? one->if_contains("secret") : nullptr;
    const auto* up_to = one != nullptr ? one->if_contains("up_to") : nullptr;
    if (secret == nullptr || !secret->is_string()) return false;
    auto& made = writers.emplace_back();
    made.secret =
        from_hex(std::string_view(secret->get_string().data(), secret->get_string().size())).value_or("");
    if (made.secret.size() != kWriterSecretBytes) return false;
    if (up_to != nullptr && !read_up_to(*up_to, made.up_to)) return false;
  }
  return writers.back().up_to.empty();  // else what is given out now would be of no secret
}

Result<ClusterFile> parse_file(const std::string& text, const std::string& path) {
  boost::system::error_code ec;
  auto value = json::parse(text, ec);
  auto* object = ec ? nullptr : value.if_object();
  if (object == nullptr || !object->contains("cluster") || !object->contains("secret"))
    return malformed(path);
  const auto* format = object->if_contains("format");
  if (format == nullptr) return made_before(path);
  if (*format != kFormat) return malformed(path, "of a format that this build knows: is it of a newer one?");
  const auto* cluster = object->at("cluster").if_string();
  const auto* secret = object->at("secret").if_string();
  if (cluster == nullptr || secret == nullptr) return malformed(path);
  const auto id = Uuid::parse(std::string_view(cluster->data(), cluster->size()));
  ClusterIdentity identity{
      id.value_or(Uuid{}), from_hex(std::string_view(secret->data(), secret->size())).value_or(""), {}};
  if (!id || identity.secret.size() != 32) return malformed(path);
  const auto* keys = object->if_contains("sealing_keys");
  if (keys == nullptr || !read_sealing_keys(*keys, identity.sealing))
    return malformed(path,
                     "right: its sealing_keys are no list of {\"number\": 1.., \"key\": 64 hex digits}");
  if (const auto* writers = object->if_contains("writers");
      writers != nullptr && !read_writers(*writers, identity.writers))
    return malformed(path, "right: its writers are no list of {\"secret\": 64 hex digits, \"up_to\": {..}}");
  return ClusterFile{std::move(*object), std::move(identity)};
}

Result<ClusterFile> read_file(const std::string& path) {
  const auto text = read_private_file(path, "cluster-file", "copy it from another controller of the cluster");
  if (!text) return text.error();
  return parse_file(*text, path);
}

constexpr auto kLockPatience = std::chrono::seconds(5);
constexpr auto kLockTries = std::chrono::milliseconds(20);

// Held from reading the file until it is written, so that of two that change it neither is lost: a controller
// that learns a sealing key, and `berth key rotate writers` beside it. Code: cluster-file-unwritable.
Result<Descriptor> lock_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Descriptor lock(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto until = std::chrono::steady_clock::now() + kLockPatience;
  while (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (std::chrono::steady_clock::now() > until)
      return make_error("cluster-file-unwritable", path + " is being changed by another process",
                        "try again when that has ended");
    std::this_thread::sleep_for(kLockTries);
  }
  return lock;  // none where the folder cannot be opened: reading the file says why
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

Result<ClusterIdentity> parse_cluster_identity(const std::string& text, const std::string& path) {
  auto file = parse_file(text, path);
  if (!file) return file.error();
  return std::move(file->identity);
}

Result<ClusterIdentity> load_or_create_cluster_identity(const std::string& path) {
  if (auto found = read_cluster_identity(path); found.ok() || !is_cluster_file_missing(found.error()))
    return found;
  ClusterIdentity identity{SystemRandom().uuid(), random_bytes(32), {}};
  const std::string sealing_key = random_bytes(kSealKeyBytes);
  identity.sealing.add({1, sealing_key});
  const auto written = write_file(path, {{"format", kFormat},
                                         {"cluster", to_string(identity.cluster)},
                                         {"secret", to_hex(identity.secret)},
                                         {"sealing_keys", json::array{entry_of(1, sealing_key)}}});
  if (!written) return written.error();
  return identity;
}

Result<void> check_known_cluster(const std::string& data, const std::string& record) {
  const auto found = read_cluster_identity(data + "/cluster.json");
  if (!found && !is_cluster_file_missing(found.error())) return {};  // it is said when it is read
  return check_known_folder({record, data, "cluster"}, found ? to_string(found->cluster) : "");
}

std::string remember_cluster(const std::string& data, const std::string& record, const Uuid& cluster,
                             bool is_service) {
  if (record.empty() || !is_worth_remembering(data, is_service)) return "";
  const auto error = remember_folder({record, data, "cluster"}, to_string(cluster));
  return error ? "that " + data + " holds this cluster is not remembered: " + record + ": " + error.message()
               : "";
}

namespace {

json::array::iterator find_key(json::array& keys, std::uint32_t number) {
  return std::ranges::find_if(
      keys, [&](const json::value& one) { return one.at("number") == std::int64_t{number}; });
}

}  // namespace

Result<void> store_sealing_key(const std::string& path, std::uint32_t number, std::string_view key) {
  const auto lock = lock_folder_of(path);
  if (!lock) return lock.error();
  auto file = read_file(path);
  if (!file) return file.error();
  json::array& keys = file->text.at("sealing_keys").get_array();
  const json::value entry = entry_of(std::int64_t{number}, key);
  const auto known = find_key(keys, number);
  if (known != keys.end() && *known == entry) return {};
  if (known != keys.end())
    *known = entry;
  else
    keys.push_back(entry);
  return write_file(path, file->text);
}

Result<void> erase_sealing_key(const std::string& path, std::uint32_t number) {
  const auto lock = lock_folder_of(path);
  if (!lock) return lock.error();
  auto file = read_file(path);
  if (!file) return file.error();
  json::array& keys = file->text.at("sealing_keys").get_array();
  const auto found = find_key(keys, number);
  if (found == keys.end() || keys.size() == 1) return {};
  keys.erase(found);
  return write_file(path, file->text);
}

Result<void> begin_writers_rotation(const std::string& path, const WriterGenerations& given_out) {
  const auto lock = lock_folder_of(path);
  if (!lock) return lock.error();
  auto file = read_file(path);
  if (!file) return file.error();
  const ClusterIdentity& identity = file->identity;
  if (identity.writers.size() > 1)
    return make_error("writers-rotate-already", path + " has a new secret of writers' keys already",
                      "end that rotation first: berth key rotate writers --finish");
  json::object up_to;
  for (const auto& [writer, generation] : given_out) up_to.emplace(writer, std::int64_t{generation});
  const std::string& before = identity.writers.empty() ? identity.secret : identity.writers.back().secret;
  file->text["writers"] = json::array{json::object{{"secret", to_hex(before)}, {"up_to", std::move(up_to)}},
                                      json::object{{"secret", to_hex(random_bytes(kWriterSecretBytes))}}};
  return write_file(path, file->text);
}

Result<void> finish_writers_rotation(const std::string& path) {
  const auto lock = lock_folder_of(path);
  if (!lock) return lock.error();
  auto file = read_file(path);
  if (!file) return file.error();
  if (file->identity.writers.size() < 2)
    return make_error("no-writers-rotation", path + " has no older secret of writers' keys to give up",
                      "berth key rotate writers begins");
  auto& list = file->text.at("writers").get_array();
  list = json::array{list.back()};
  return write_file(path, file->text);
}

}  // namespace berth::controller
