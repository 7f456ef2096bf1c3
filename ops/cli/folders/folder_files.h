// What the API does with the files of one folder, beside their bytes.
#pragma once

#include <cstdint>
#include <string>

#include "ops/cli/http/api.h"

namespace berth::cli {

struct FileList {
  boost::json::array items;   // {"name", "type", "bytes", "modified_at", "mode"}, sorted by name
  std::int64_t not_utf8 = 0;  // names that are not in it, since they are no text
};

class FolderFiles {
 public:
  // `folder`: name or id.
  FolderFiles(Api& api, const std::string& folder);

  // All that lies in the folder at `path`. Failures: those of the API (unknown-path, not-a-folder).
  Outcome<FileList> list(const std::string& path);
  enum class Kind { kNothing, kFolder, kOther };
  Outcome<Kind> kind(const std::string& path);
  Outcome<bool> make_folder(const std::string& path);
  Outcome<bool> rename(const std::string& path, const std::string& to);
  Outcome<bool> remove(const std::string& path, bool recursive);

  Api& api() const { return api_; }
  // Of the API: "/v1/folders/FOLDER" and what is below.
  std::string target(const std::string& below) const { return target_ + below; }

 private:
  Outcome<bool> change(boost::json::object what);

  Api& api_;
  const std::string target_;
};

}  // namespace berth::cli
