// Files that survive a crash of the machine: what was written is on the disk, and so is its name. For edges
// only.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace berth {

// Syncs a folder: what was made, renamed or removed in it stays so.
std::error_code sync_folder(const std::string& folder);
// Syncs a file, or a folder, that was written by others.
std::error_code sync_file(const std::string& path);
// Replaces `path` whole: after a crash it is the old one or the new one. It is written as PATH.new, which is
// always a new file: what another user put there, or a link, is not written to. `mode` as of open(2).
std::error_code write_durably(const std::string& path, std::string_view bytes, unsigned mode);
// No error if there is no such file.
std::error_code remove_durably(const std::string& path);

}  // namespace berth
