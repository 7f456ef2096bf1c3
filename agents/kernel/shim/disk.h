// A kernel's own file system, in a file. Standard library only.
#pragma once

#include <string>

namespace berth::agents::shim {

// Mounts the ext4 file system in `file` at `folder`, by a loop device that goes with the mount. Empty on
// success, else the text of the error.
std::string mount_disk(const std::string& file, const std::string& folder);

}  // namespace berth::agents::shim
