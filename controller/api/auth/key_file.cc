#include "controller/api/auth/key_file.h"

#include <boost/json.hpp>
#include <filesystem>

#include "events/base/files/private_files.h"
#include "events/base/hash.h"
#include "events/base/secrets.h"

namespace berth::controller::api {
namespace {

// RFC 4648 base64url without padding.
std::string base64url(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kDigits[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kDigits[bits << (6 - count) & 63];
  return text;
}

Error malformed(const std::string& path, const std::string& why) {
  return make_error("key-file-malformed", path + ": " + why,
                    "restore it, or move it aside to get a fresh key pair at the next start");
}

std::string text_field(const boost::json::object& object, const char* name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

}  // namespace

KeyPair new_key_pair() { return {"BK" + to_hex(random_bytes(10)), base64url(random_bytes(32)), ""}; }

std::string admin_key_path(const std::string& data_folder) { return data_folder + "/keys/admin.json"; }

Result<KeyPair> read_key_file(const std::string& path) {
  auto text = read_private_file(
      path, "key-file", "a cluster's first start makes it; --key-file names it where it lies elsewhere");
  if (!text.ok()) return text.error();
  boost::system::error_code error;
  const auto value = boost::json::parse(*text, error);
  if (error || !value.is_object()) return malformed(path, "it is no JSON object");
  KeyPair key{text_field(value.get_object(), "access_key"), text_field(value.get_object(), "secret_key"),
              text_field(value.get_object(), "endpoint")};
  if (key.access_key.empty() || key.secret_key.empty())
    return malformed(path, "access_key or secret_key is missing");
  return key;
}

Result<void> write_key_file(const std::string& path, const KeyPair& key) {
  if (auto folder = make_private_folder(std::filesystem::path(path).parent_path().string()); !folder.ok())
    return folder.error();
  boost::json::object object{{"access_key", key.access_key}, {"secret_key", key.secret_key}};
  if (!key.endpoint.empty()) object["endpoint"] = key.endpoint;
  return write_private_file(path, boost::json::serialize(object) + "\n", "key-file");
}

Result<KeyPair> load_or_create_admin_key(const std::string& data_folder) {
  const std::string path = admin_key_path(data_folder);
  if (auto folder = make_private_folder(data_folder + "/keys"); !folder.ok()) return folder.error();
  auto found = read_key_file(path);
  if (found.ok() || found.error().code != "key-file-missing") return found;
  KeyPair fresh = new_key_pair();
  if (auto written = write_key_file(path, fresh); !written.ok()) return written.error();
  return fresh;
}

Result<KeyPair> load_or_create_admin_key(const std::string& data_folder, const std::string& endpoint) {
  auto key = load_or_create_admin_key(data_folder);
  if (!key.ok() || key->endpoint == endpoint) return key;
  key->endpoint = endpoint;
  if (auto written = write_key_file(admin_key_path(data_folder), *key); !written.ok()) return written.error();
  return key;
}

}  // namespace berth::controller::api
