// Opens the root of a volume at an agent's start: the folder is checked, closed to others, marked where it is
// new, and rid of what a crash left.
#pragma once

#include "agents/volumes/volumes.h"

namespace berth::agents {

// The names and paths as such, before any is opened: at most kVolumesMax, names as is_valid_name() has them,
// paths absolute, nothing twice. Code volume-invalid.
Result<void> check_places(const std::vector<VolumePlace>& places);

// Codes: volume-unusable, volume-busy, volume-without-idmaps.
Result<Volume> open_root(const VolumePlace& place, const VolumeSettings& settings, const VolumeParts& parts);

}  // namespace berth::agents
