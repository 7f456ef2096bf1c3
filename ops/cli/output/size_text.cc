#include "ops/cli/output/size_text.h"

#include <cstddef>

namespace berth::cli {

std::string size_text(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  std::uint64_t tenths = bytes;
  for (; tenths >= (unit == 0 ? 1024 : 10'240); ++unit)
    tenths = unit == 0 ? tenths * 10 / 1024 : tenths / 1024;
  if (unit == 0) return std::to_string(bytes) + " B";
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + kUnits[unit];
}

}  // namespace berth::cli
