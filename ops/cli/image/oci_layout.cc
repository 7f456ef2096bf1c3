#include "ops/cli/image/oci_layout.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "controller/api/auth/signature.h"
#include "events/base/strict_json.h"
#include "events/base/text.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kDigestBegin = "sha256:";
constexpr std::size_t kDigestSize = kDigestBegin.size() + 64;
constexpr const char* kTagKey = "org.opencontainers.image.ref.name";

// The names of Go, which OCI takes, and those of `uname -m`, which Berth takes.
constexpr std::pair<std::string_view, std::string_view> kArchitectures[] = {
    {"amd64", "x86_64"}, {"arm64", "aarch64"}, {"386", "i686"}, {"arm", "armv7l"}};

std::string architecture_of(std::string_view name) {
  for (const auto& [go, machine] : kArchitectures)
    if (go == name) return std::string(machine);
  return std::string(name);
}

// A file that is open, until the scope ends.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

// The files of one layout.
class Layout {
 public:
  explicit Layout(const std::string& folder)
      : name_(folder), folder_(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

  // Codes: layout-missing, layout-unreadable, layout-too-large.
  Result<std::string> read(const std::string& path) const {
    if (folder_.get() < 0) return missing(path, errno);
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const OpenFile file(
        static_cast<int>(::syscall(SYS_openat2, folder_.get(), path.c_str(), &how, sizeof how)));
    if (file.get() < 0) return missing(path, errno);
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
      return make_error("layout-unreadable", named(path) + " is no file");
    return read_all(file.get(), path);
  }

  // The JSON behind a descriptor: {"digest", "size", ...}. Codes also: layout-damaged, layout-invalid.
  Result<json::value> read_blob(const json::value& descriptor) const {
    const std::string digest = text_at(descriptor, "digest");
    if (!is_digest(digest))
      return make_error("layout-invalid", "layout " + name_ + ": '" + clipped(digest) + "' is no digest",
                        "sha256: and 64 hex digits");
    const std::string path = "blobs/sha256/" + digest.substr(kDigestBegin.size());
    const auto bytes = read(path);
    if (!bytes) return bytes.error();
    if (std::string(kDigestBegin) + controller::api::sha256_hex(*bytes) != digest)
      return make_error("layout-damaged", named(path) + " is not what its digest says",
                        "build or copy the image again");
    return parsed(*bytes, path);
  }

  Result<json::value> parsed(const std::string& bytes, const std::string& path) const {
    auto value = read_strict_json(bytes);
    if (!value) return make_error("layout-invalid", named(path) + ": " + value.error().message);
    if (!value->is_object()) return make_error("layout-invalid", named(path) + " is no JSON object");
    return value;
  }

  std::string named(const std::string& path) const { return name_ + "/" + path; }
  static bool is_digest(std::string_view text) {
    return text.size() == kDigestSize && text.starts_with(kDigestBegin) &&
           text.find_first_not_of("0123456789abcdef", kDigestBegin.size()) == std::string_view::npos;
  }

 private:
  Error missing(const std::string& path, int why) const {
    if (why == ENOENT && path == "index.json")
      return make_error("layout-missing", "there is no " + named(path) + " on this machine");
    if (why == ELOOP || why == EXDEV)
      return make_error("layout-unreadable", named(path) + " is a link, or behind one",
                        "a layout has its files in its own folder");
    return make_error("layout-unreadable", named(path) + ": " + std::strerror(why));
  }

  Result<std::string> read_all(int file, const std::string& path) const {
    std::string bytes;
    for (;;) {
      const std::size_t before = bytes.size();
      bytes.resize(before + (64 << 10));
      const ssize_t got = ::read(file, bytes.data() + before, bytes.size() - before);
      if (got < 0 && errno == EINTR) {
        bytes.resize(before);
        continue;
      }
      if (got < 0) return make_error("layout-unreadable", named(path) + ": " + std::strerror(errno));
      bytes.resize(before + static_cast<std::size_t>(got));
      if (bytes.size() > kLayoutFileMax)
        return make_error("layout-too-large",
                          named(path) + " has more than " + std::to_string(kLayoutFileMax) + " bytes");
      if (got == 0) return bytes;
    }
  }

  const std::string name_;
  const OpenFile folder_;
};

std::string tag_of(const json::value& manifest) {
  const auto* notes = manifest.is_object() ? manifest.get_object().if_contains("annotations") : nullptr;
  const auto* tag =
      notes != nullptr && notes->is_object() ? notes->get_object().if_contains(kTagKey) : nullptr;
  return tag != nullptr && tag->is_string() ? std::string(tag->get_string()) : std::string();
}

std::string listed(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + clipped(name);
  return text;
}

// The manifest of an architecture in the list of an index. What says no platform is an image of one.
Result<json::value> choose(const json::array& manifests, std::string_view architecture) {
  std::vector<std::string> known;
  for (const auto& manifest : manifests) {
    const std::string has = text_at(manifest, "platform.architecture");
    if (manifests.size() == 1 && has.empty()) return manifest;
    const std::string system = text_at(manifest, "platform.os");
    if (has.empty() || has == "unknown" || (!system.empty() && system != "linux")) continue;
    if (architecture_of(has) == architecture) return manifest;
    known.push_back(architecture_of(has));
  }
  return make_error("unknown-architecture",
                    "the image is not there for architecture " + clipped(architecture),
                    known.empty() ? "it is there for none" : "it is there for: " + listed(known));
}

// What index.json names by the tag.
Result<json::value> find_tag(const Layout& layout, const LayoutSource& source,
                             std::string_view architecture) {
  const auto bytes = layout.read("index.json");
  if (!bytes) return bytes.error();
  const auto index = layout.parsed(*bytes, "index.json");
  if (!index) return index.error();
  json::array tagged;
  std::vector<std::string> known;
  for (const auto& manifest : array_at(*index, "manifests")) {
    const std::string tag = tag_of(manifest);
    if (tag == source.tag) tagged.push_back(manifest);
    if (!tag.empty()) known.push_back(tag);
  }
  if (tagged.empty())
    return make_error("unknown-tag", "layout " + source.folder + " has no tag '" + clipped(source.tag) + "'",
                      known.empty() ? "it has none" : "it has: " + listed(known));
  return tagged.size() == 1 ? Result<json::value>(tagged.front()) : choose(tagged, architecture);
}

Result<LayoutImage> image_of_configuration(const json::value& configuration, const std::string& place) {
  LayoutImage image;
  image.architecture = architecture_of(text_at(configuration, "architecture"));
  if (image.architecture.empty())
    return make_error("layout-invalid", place + ": its configuration is not that of an image");
  const auto* labels = find_path(configuration, "config.Labels");
  if (labels == nullptr || labels->is_null()) return image;
  if (!labels->is_object()) return make_error("layout-invalid", place + ": its labels are no JSON object");
  for (const auto& [key, value] : labels->get_object()) {
    if (!value.is_string())
      return make_error("layout-invalid",
                        place + ": label " + clipped(std::string_view(key)) + " is no text");
    image.labels.emplace(key, value.get_string());
  }
  return image;
}

}  // namespace

std::optional<LayoutSource> parse_layout_source(std::string_view source) {
  constexpr std::string_view kBegin = "oci:";
  if (!source.starts_with(kBegin)) return std::nullopt;
  source.remove_prefix(kBegin.size());
  const auto colon = source.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == source.size() ||
      source.find('/', colon) != std::string_view::npos)
    return std::nullopt;
  return LayoutSource{std::string(source.substr(0, colon)), std::string(source.substr(colon + 1))};
}

Result<LayoutImage> read_layout_image(const LayoutSource& source, std::string_view architecture) {
  const Layout layout(source.folder);
  const auto named = find_tag(layout, source, architecture);
  if (!named) return named.error();
  auto manifest = layout.read_blob(*named);
  if (!manifest) return manifest.error();
  if (const auto* list = find_path(*manifest, "manifests"); list != nullptr && list->is_array()) {
    const auto chosen = choose(list->get_array(), architecture);
    if (!chosen) return chosen.error();
    manifest = layout.read_blob(*chosen);
    if (!manifest) return manifest.error();
  }
  const std::string place = "layout " + source.folder + ":" + source.tag;
  const auto* descriptor = find_path(*manifest, "config");
  if (descriptor == nullptr)
    return make_error("layout-invalid", place + " is neither an image nor an index of images");
  const auto configuration = layout.read_blob(*descriptor);
  if (!configuration) return configuration.error();
  auto image = image_of_configuration(*configuration, place);
  if (image) image->digest = text_at(*named, "digest");
  return image;
}

std::string own_architecture() {
  utsname machine{};
  ::uname(&machine);
  return machine.machine;
}

}  // namespace berth::cli
