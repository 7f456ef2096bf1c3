// Which host ids the files of images have on disk, and kernels that cannot have ids of their own.
//
//   IMAGES/ids    "berth ids 1 BASE", written with the first image; a folder of an older agent has images and
//   none
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/kernel/host/given_ids.h"
#include "events/base/result.h"

namespace berth::agents {

struct ImageIds {
  std::uint32_t base = 0;
  std::string warning;  // for people; empty: none
};

// Those that its images have already. For a folder without images the usual ones, or, where somebody of this
// machine has some of these, the first that nobody has. `shared_ids`: files of volumes belong to them, also
// of other agents', so they are the same for ever. Codes: image-folder, no-id-range.
Result<ImageIds> choose_image_ids(const std::string& images, std::uint32_t count, bool shared_ids,
                                  const std::vector<GivenIds>& given);

}  // namespace berth::agents
