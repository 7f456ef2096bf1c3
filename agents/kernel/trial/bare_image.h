// An image with nothing in it, for a kernel that has our init alone.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/result.h"

namespace berth::agents {

// Makes FOLDER/bare if it is missing, as the image store leaves an image that runs as root; returns its root
// file system. `owner`: the host id of images' id 0. Code: data-folder.
Result<std::string> make_bare_image(const std::string& folder, std::uint32_t owner);

}  // namespace berth::agents
