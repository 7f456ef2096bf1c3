#include "ops/cli/folders/folder_path.h"

#include <algorithm>

#include "events/base/text.h"

namespace berth::cli {

std::string FolderPath::name() const { return path.empty() ? folder : path.substr(path.rfind('/') + 1); }

bool is_in_folder(std::string_view word) {
  const auto colon = word.find(':');
  return colon != std::string_view::npos && colon != 0 && word.find('/') >= colon;
}

Outcome<FolderPath> folder_path(const std::string& word) {
  if (!is_in_folder(word))
    return usage_failure("'" + clipped(word) + "' is no FOLDER:PATH", "for example data:results/out.csv");
  const auto colon = word.find(':');
  return folder_path(word.substr(0, colon), word.substr(colon + 1));
}

Outcome<FolderPath> folder_path(const std::string& folder, const std::string& path) {
  FolderPath out{folder, {}, path.empty() || path.back() == '/'};
  for (std::size_t at = 0; at < path.size();) {
    const auto slash = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, slash - at);
    at = slash + 1;
    if (part == "..")
      return usage_failure("'" + clipped(path) + "' leads out of where it begins",
                           "a path of a folder has no ..");
    if (!part.empty() && part != ".") out.path = joined_path(out.path, part);
  }
  if (out.path.empty()) out.is_folder = true;
  return out;
}

std::string joined_path(const std::string& path, const std::string& below) {
  return path.empty() || below.empty() ? path + below : path + "/" + below;
}

}  // namespace berth::cli
