// FileLines: the lines of a file one at a time, since an exported journal is as long as its log.
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "ops/cli/exit_code.h"

namespace berth::cli {

class FileLines {
 public:
  static constexpr std::size_t kLineMax = 8u << 20;  // bytes; the largest record in base64 is a third of it

  // "-" is the input.
  explicit FileLines(std::string path);

  // None: that was the last one. Failures: file-unreadable, line-too-long.
  Outcome<std::optional<std::string>> next();

 private:
  const std::string path_;
  std::ifstream file_;
  bool is_open_ = false;
};

// A whole file of at most so many bytes. Failures: file-unreadable, file-too-long.
Outcome<std::string> read_small_file(const std::string& path, std::size_t max);

}  // namespace berth::cli
