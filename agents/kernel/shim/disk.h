// A kernel's own file system, in a file. Standard library only.
#pragma once

#include <string>

#include "events/base/files/descriptor.h"

namespace berth::agents::shim {

// Mounts the ext4 file system in `file`, at no place yet, by a loop device that goes with the mount. The
// mount goes with the last descriptor of it, unless place_disk() gave it a place. None: `why` says why.
Descriptor mount_disk(const std::string& file, std::string& why);

// Gives it its place in this process's mount namespace. Empty on success, else the text of the error.
std::string place_disk(const Descriptor& mount, const std::string& folder);

}  // namespace berth::agents::shim
