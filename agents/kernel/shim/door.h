// The door of a kernel: a listening socket at kernels/KEY/door, made before the kernel begins. The kernel's
// init, or its helper, holds it and takes who knocks; the agent knocks. Host side only. Standard library
// only.
#pragma once

#include <string>

#include "events/base/files/descriptor.h"

namespace berth::agents::shim {

// Makes and opens the door; none if its folder is gone, or somebody holds a door there already. What is left
// of one that nobody holds is replaced.
Descriptor make_door(const std::string& path);
// A stream to whoever holds the door, non-blocking. None: errno is EAGAIN if too many wait there.
Descriptor knock(const std::string& path);
// Nobody comes in any more, and who waits there is sent away. `door` may be none.
void shut_door(const std::string& path, const Descriptor& door);

}  // namespace berth::agents::shim
