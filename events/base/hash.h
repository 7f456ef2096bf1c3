// Hashes of the protocol: BLAKE2b (libsodium) for links, state and MACs, CRC-32C for envelopes and inputs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace berth {

using Hash128 = std::array<std::uint8_t, 16>;
using Hash256 = std::array<std::uint8_t, 32>;

Hash256 blake2b_256(std::string_view bytes);
Hash128 blake2b_128(std::string_view bytes);
// Keyed; key of 16..64 bytes.
Hash128 blake2b_128(std::string_view key, std::string_view bytes);
Hash256 blake2b_256(std::string_view key, std::string_view bytes);

// CRC-32C (Castagnoli), as iSCSI, ext4 and Kafka use it. crc32c("123456789") == 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);

template <std::size_t N> std::string_view as_view(const std::array<std::uint8_t, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), N};
}

// Lower-case hex.
std::string to_hex(std::string_view bytes);

// Sum of row hashes mod 2^128, so that a row's change costs one subtraction and one addition (P14).
class StateHash {
 public:
  void add(const Hash128& row);
  void subtract(const Hash128& row);
  Hash128 value() const;
  bool operator==(const StateHash&) const = default;

 private:
  unsigned __int128 sum_ = 0;
};

}  // namespace berth
