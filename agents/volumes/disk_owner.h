// Owners on disk: whom the files in folders belong to.
//
// One range of ids for all volumes of all clusters, which no user of a host has and which no kernel runs as:
// a file that a kernel leaves in a folder never belongs to anybody of a host, whatever its mode says. A mount
// of a folder shows the range as a kernel's own ids (shim/id_map.h).
#pragma once

#include <cstdint>

namespace berth::agents {

inline constexpr std::uint32_t kDiskBase = 2'100'000'000;  // on disk, of id 0 in a kernel
inline constexpr std::uint32_t kDiskCount = 65'536;
// User and group of a new folder: `work` of our images.
inline constexpr std::uint32_t kFolderUid = kDiskBase + 1000;

}  // namespace berth::agents
