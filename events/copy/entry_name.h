// Names in a tar stream. Anybody may have written them: a name that leaves the folder into which it is
// unpacked, or a link that leads out of it, must never be used. Standard library only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::copy {

inline constexpr std::size_t kEntryNameMax = 4096;  // bytes
inline constexpr std::size_t kPartMax = 255;        // bytes between two slashes
inline constexpr std::size_t kDepthMax = 512;       // parts of a name

// The parts of a relative name, without "."; none if it names the folder itself ("./"). nullopt: it is empty,
// absolute, has a "..", a zero byte, or is longer or deeper than the bounds.
std::optional<std::vector<std::string>> parts_of(std::string_view name);

// A link in a folder so many folders deep leads nowhere but into the tree, however links in the tree lead:
// its target is relative, and only its beginning may go up, at most as far as the tree's own root.
bool stays_inside(std::string_view target, std::size_t depth);

// For a line that people read: without control characters, at most 256 bytes.
std::string shown(std::string_view name);

}  // namespace berth::copy
