// The Range of a request for a file (RFC 9110, 14.2). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::controller::api {

struct FileRange {
  std::uint64_t offset = 0;  // bytes; of a suffix: how many of the last ones
  std::uint64_t length = 0;  // 0: up to the end
  bool suffix = false;
};

// nullopt: the whole file is to be sent, for there is no range, or none that is understood: several ranges,
// other units.
std::optional<FileRange> file_range_in(std::string_view header);

}  // namespace berth::controller::api
