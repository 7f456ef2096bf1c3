#include "ops/cli/command/file_lines.h"

#include <filesystem>
#include <utility>

namespace berth::cli {
namespace {

// Whether the file could be opened. A folder opens, and gives nothing.
bool open_file(std::ifstream& file, const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return false;
  file.open(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  return file.is_open();
}

Failure no_file(const std::string& path) {
  return {kUsage, "file-unreadable", path + " cannot be read", "is the path right?", {}};
}

}  // namespace

FileLines::FileLines(std::string path) : path_(std::move(path)), is_open_(open_file(file_, path_)) {}

Outcome<std::optional<std::string>> FileLines::next() {
  if (!is_open_ || file_.bad()) return no_file(path_);
  std::string line;
  for (std::streambuf& bytes = *file_.rdbuf();;) {
    const auto c = bytes.sbumpc();
    if (c == std::char_traits<char>::eof())
      return line.empty() ? std::optional<std::string>() : std::optional(std::move(line));
    if (c == '\n') return std::optional(std::move(line));
    if (line.size() == kLineMax)
      return Failure{kUsage,
                     "line-too-long",
                     path_ + " has a line of more than " + std::to_string(kLineMax >> 20) + " MiB",
                     "is it what it should be?",
                     {}};
    line += static_cast<char>(c);
  }
}

Outcome<std::string> read_small_file(const std::string& path, std::size_t max) {
  std::ifstream file;
  if (!open_file(file, path)) return no_file(path);
  std::string text(max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return no_file(path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() <= max) return text;
  return Failure{kUsage,
                 "file-too-long",
                 path + " has more than " + std::to_string(max) + " bytes",
                 "is it what it should be?",
                 {}};
}

}  // namespace berth::cli
