// FolderPath: FOLDER:PATH, a place in a folder as people type it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "ops/cli/exit_code.h"

namespace berth::cli {

struct FolderPath {
  std::string folder;      // name or id
  std::string path;        // "a/b", as the API has it; empty: the folder itself
  bool is_folder = false;  // no file has this name: it ends with a slash, or is the folder itself

  // The last part of the path; of the folder itself its name.
  std::string name() const;
};

// As of scp: its first colon stands before its first slash.
bool is_in_folder(std::string_view word);
// Failures: usage.
Outcome<FolderPath> folder_path(const std::string& word);
// The same of a path whose folder is said apart.
Outcome<FolderPath> folder_path(const std::string& folder, const std::string& path);

// "a/b" of "a" and "b"; one of them may be empty.
std::string joined_path(const std::string& path, const std::string& below);

}  // namespace berth::cli
