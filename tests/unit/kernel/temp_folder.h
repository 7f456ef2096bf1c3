#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace berth::agents {

struct TempFolder {
  TempFolder() {
    char name[] = "/tmp/berth-unit-XXXXXX";
    path = mkdtemp(name);
  }
  ~TempFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string path;
};

}  // namespace berth::agents
