#include "events/rocks/version.h"

#include <rocksdb/version.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace berth::rocks {
namespace {

namespace fs = std::filesystem;

// A patch changes no format.
using Version = std::pair<int, int>;

constexpr Version kOwn{ROCKSDB_MAJOR, ROCKSDB_MINOR};

std::string text_of(const Version& version) {
  return std::to_string(version.first) + "." + std::to_string(version.second);
}

// "OPTIONS-000012", by its number; the newest has the highest.
std::optional<fs::path> newest_options(const fs::path& db) {
  constexpr std::string_view kPrefix = "OPTIONS-";
  std::optional<fs::path> newest;
  std::uint64_t highest = 0;
  std::error_code failed;
  for (fs::directory_iterator it(db, failed), end; !failed && it != end; it.increment(failed)) {
    const std::string name = it->path().filename();
    if (!name.starts_with(kPrefix)) continue;
    std::uint64_t number = 0;
    const char* last = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kPrefix.size(), last, number);
    if (parsed.ec != std::errc() || parsed.ptr != last || (newest && number < highest)) continue;
    newest = it->path();
    highest = number;
  }
  return newest;
}

// Of the line "  rocksdb_version=7.8.3".
std::optional<Version> writer_of(const fs::path& options) {
  constexpr std::string_view kKey = "rocksdb_version=";
  std::ifstream file(options);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(kKey);
    if (at == std::string::npos) continue;
    Version version;
    const char* last = line.data() + line.size();
    const auto major = std::from_chars(line.data() + at + kKey.size(), last, version.first);
    if (major.ec != std::errc() || major.ptr == last || *major.ptr != '.') return std::nullopt;
    const auto minor = std::from_chars(major.ptr + 1, last, version.second);
    return minor.ec == std::errc() ? std::optional(version) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string own_version() { return text_of(kOwn); }

std::optional<std::string> newer_writer(const fs::path& db) {
  const auto options = newest_options(db);
  if (!options) return std::nullopt;
  const auto writer = writer_of(*options);
  if (!writer || *writer <= kOwn) return std::nullopt;
  return text_of(*writer);
}

}  // namespace berth::rocks
