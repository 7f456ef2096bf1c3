#include "controller/api/auth/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "events/base/hash.h"
#include "events/base/secrets.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kFileBytesMax = 64u << 10;

std::string reason() { return std::strerror(errno); }

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

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Result<std::string> read_private(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0 && errno == ENOENT)
    return make_error("key-file-missing", "there is no " + path,
                      "start the server once: it makes the first key pair");
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0)
    return make_error("key-file-unreadable", path + ": " + reason());
  if ((info.st_mode & 077) != 0) return malformed(path, "others than its owner may read it; chmod 600 it");
  std::string text(kFileBytesMax, '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return make_error("key-file-unreadable", path + ": " + reason());
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::string text_field(const boost::json::object& object, const char* name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(fd, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace

std::string admin_key_path(const std::string& data_folder) { return data_folder + "/keys/admin.json"; }

Result<KeyPair> read_key_file(const std::string& path) {
  auto text = read_private(path);
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
  const auto failed = [&] {
    return make_error("key-file-unwritable", path + ": " + reason(), "the data folder must be writable");
  };
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return make_error("key-file-unwritable", folder + ": " + error.message(),
                      "the data folder must be writable");
  ::chmod(folder.c_str(), 0700);
  const std::string aside = path + ".new";
  ::unlink(aside.c_str());
  boost::json::object object{{"access_key", key.access_key}, {"secret_key", key.secret_key}};
  if (!key.endpoint.empty()) object["endpoint"] = key.endpoint;
  const Descriptor file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0 || !write_all(file.get(), boost::json::serialize(object) + "\n") ||
      ::fsync(file.get()) != 0)
    return failed();
  if (::rename(aside.c_str(), path.c_str()) != 0) return failed();
  const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) ::fsync(parent.get());
  return {};
}

Result<KeyPair> load_or_create_admin_key(const std::string& data_folder) {
  const std::string path = admin_key_path(data_folder);
  auto found = read_key_file(path);
  if (found.ok() || found.error().code != "key-file-missing") return found;
  KeyPair fresh{"BK" + to_hex(random_bytes(10)), base64url(random_bytes(32)), ""};
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
