// Paths inside a folder of a volume, resolved so that they cannot leave it: no link is followed, no other
// file system is entered, whatever a kernel that has the folder does meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/base/files/descriptor.h"
#include "events/base/result.h"

namespace berth::agents {

// None: errno says why (ELOOP: a link is on the way; EXDEV: it leads out). An empty path is the folder
// itself.
Descriptor open_beneath(int folder, std::string_view path, int flags);

// The error of what just failed on `path`, by errno. Codes: volume-full, unknown-path, path-exists,
// not-a-folder (also: a link is on the way), path-invalid, folder-not-empty, volume-failed.
Error path_error(std::string_view path);

// What people are shown of a path.
std::string shown_path(std::string_view path);

// A path as the folder that holds it, opened (O_RDONLY), and the last name.
struct Place {
  Descriptor above;
  std::string name;
};
// Codes: path-invalid (also of the folder itself, which has no place in it), those of path_error().
Result<Place> place_of(int folder, const std::string& path);

// What open_beneath() refuses by its text alone. Code path-invalid.
Result<void> check_path(const std::string& path);

// All of it, in as many turns as it takes. False: errno says why.
bool write_all(int file, std::string_view bytes, std::uint64_t offset);

}  // namespace berth::agents
