// Base-128 varints as protobuf writes them: onto the end of bytes, and off their front. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

inline void append_varint(std::string& out, std::uint64_t value) {
  for (; value > 127; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

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
