// Which RocksDB wrote a database. A newer one may write what an older one does not know: the older one then
// says that the database is damaged, or does not notice at all. Thread-safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace berth::rocks {

// "7.8": the RocksDB of this process.
std::string own_version();

// The version of the RocksDB that last opened `db` to write, if it is newer than our own: its newest OPTIONS
// file says so. nullopt too where no such file can be read.
std::optional<std::string> newer_writer(const std::filesystem::path& db);

}  // namespace berth::rocks
