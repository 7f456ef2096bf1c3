// Takes base-128 varints, as protobuf writes them, off the front of bytes. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

// Returns false if the bytes end inside the varint or it is longer than ten bytes; `in` is then undefined.
inline bool take_varint(std::string_view& in, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(in.front());
    in.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

}  // namespace berth
