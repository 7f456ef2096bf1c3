// Names that people give to sessions, groups, users, agents.
#pragma once

#include <cstddef>
#include <string_view>

namespace berth {

inline constexpr std::size_t kNameMax = 64;  // bytes

// Letters, digits, "-", "_" and "."; begins with a letter or digit; at most kNameMax.
bool is_valid_name(std::string_view name);

}  // namespace berth
