// Reading OCI layouts, and making sense of the tools' errors. See skopeo_image_store.h.
#include <boost/json.hpp>

#include "agents/kernel/image/skopeo_image_store.h"
#include "agents/kernel/shim/system.h"
#include "events/base/edge_errors.h"

namespace berth::agents {
namespace json = boost::json;

std::string layout_digest(const std::string& path, const std::string& tag) {
  boost::system::error_code error;
  const json::value index = json::parse(shim::read_file(path + "/index.json").value_or(""), error);
  if (error || !index.is_object()) return "";
  const json::value* manifests = index.as_object().if_contains("manifests");
  if (manifests == nullptr || !manifests->is_array()) return "";
  for (const json::value& entry : manifests->as_array()) {
    if (!entry.is_object()) continue;
    const json::value* name = entry.as_object().if_contains("annotations");
    if (name != nullptr && name->is_object())
      name = name->as_object().if_contains("org.opencontainers.image.ref.name");
    const json::value* digest = entry.as_object().if_contains("digest");
    if (name == nullptr || !name->is_string() || digest == nullptr || !digest->is_string()) continue;
    if (name->as_string() == tag) return std::string(digest->as_string());
  }
  return "";
}

std::optional<std::pair<std::string, std::string>> parse_layout_source(const std::string& source) {
  if (!source.starts_with("oci:")) return std::nullopt;
  const std::size_t colon = source.rfind(':');
  if (colon == 3 || source.find('/', colon) != std::string::npos) return std::nullopt;
  return std::pair{source.substr(4, colon - 4), source.substr(colon + 1)};
}

Error image_error(const std::string& what, const std::string& said) {
  const auto has = [&](const char* words) { return said.find(words) != std::string::npos; };
  std::string last = said;  // the tools' last line, without its time stamp
  while (!last.empty() && last.back() == '\n') last.pop_back();
  if (const std::size_t line = last.rfind('\n'); line != std::string::npos) last = last.substr(line + 1);
  if (const std::size_t message = last.find("msg=\""); message != std::string::npos)
    last = last.substr(message + 5);
  if (has("o space left on device"))
    return make_error(kDiskFull, what + ": the disk of the image store is full",
                      "make room, then start the session again");
  if (has("manifest unknown") || has("name unknown") || has("no descriptor found") ||
      has("o such file or directory"))
    return make_error("unknown-image", what + ": the source does not have it: " + last);
  return make_error("image-pull-failed", what + ": " + last);
}

}  // namespace berth::agents
