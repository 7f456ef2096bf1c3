// Keys of a RocksStore (rocks_store.h lists them).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "projections/store/history_codec.h"

namespace berth::projections {

inline constexpr const char* kMetaKey = "m1";
inline constexpr const char* kMetaKeyBefore = "m";  // of builds before 0.1.0

inline void set_row_key(std::string& out, std::uint8_t table, std::string_view key) {
  out.assign(1, 'r');
  out += static_cast<char>(table);
  out += key;
}

// The ring has a place for each point of the window and the newest.
inline std::string chain_key(Offset next) {
  const auto slot = static_cast<std::uint32_t>(next % (kChainWindow + 1));
  return {'c', static_cast<char>(slot >> 16), static_cast<char>(slot >> 8), static_cast<char>(slot)};
}

inline const std::string kViewPrefix = "v";

inline std::string history_row_key(std::string_view key) { return "h" + std::string(key); }
inline std::string history_index_key(const SessionId& id) { return "i" + std::string(id.view()); }

}  // namespace berth::projections
