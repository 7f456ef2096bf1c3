// Sizes of files as people read them. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace berth::cli {

// "12.3 MiB"
std::string size_text(std::uint64_t bytes);

}  // namespace berth::cli
