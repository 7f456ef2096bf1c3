#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace berth::agents {

struct TempFolder {
  explicit TempFolder(const std::string& parent = "/tmp") : path(parent + "/berth-unit-XXXXXX") {
    mkdtemp(path.data());
  }
  ~TempFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string path;
};

}  // namespace berth::agents
