#include "events/base/hash.h"

#include <sodium.h>

#include <cstring>

#include "events/base/checks.h"

namespace berth {
namespace {

template <std::size_t N> std::array<std::uint8_t, N> blake2b(std::string_view key, std::string_view bytes) {
  static const int ready =
      sodium_init();  // it chooses the fastest code for this machine; without it hashing is twice as slow
  BERTH_CHECK(ready >= 0, "libsodium does not start");
  std::array<std::uint8_t, N> out;
  const int rc = crypto_generichash_blake2b(
      out.data(), N, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
      reinterpret_cast<const unsigned char*>(key.data()), key.size());
  BERTH_CHECK(rc == 0, "BLAKE2b refuses the key's length");
  return out;
}

unsigned __int128 as_number(const Hash128& row) {
  unsigned __int128 value;
  std::memcpy(&value, row.data(), sizeof value);
  return value;
}

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) ? 0x82F63B78u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

std::uint32_t crc32c_table(std::string_view bytes) {
  static constexpr auto kTable = make_crc_table();
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<std::uint8_t>(c)) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::string_view bytes) {
  std::uint64_t crc = 0xFFFFFFFFu;
  const char* p = bytes.data();
  std::size_t n = bytes.size();
  for (; n >= 8; n -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto crc32 = static_cast<std::uint32_t>(crc);
  for (; n > 0; --n, ++p) crc32 = __builtin_ia32_crc32qi(crc32, static_cast<std::uint8_t>(*p));
  return ~crc32;
}
#endif

}  // namespace

Hash256 blake2b_256(std::string_view bytes) { return blake2b<32>({}, bytes); }
Hash128 blake2b_128(std::string_view bytes) { return blake2b<16>({}, bytes); }
Hash128 blake2b_128(std::string_view key, std::string_view bytes) { return blake2b<16>(key, bytes); }
Hash256 blake2b_256(std::string_view key, std::string_view bytes) { return blake2b<32>(key, bytes); }

std::uint32_t crc32c(std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_sse42 = __builtin_cpu_supports("sse4.2") != 0;
  if (has_sse42) return crc32c_sse42(bytes);
#endif
  return crc32c_table(bytes);
}

std::string to_hex(std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    text += kHex[static_cast<std::uint8_t>(c) >> 4];
    text += kHex[static_cast<std::uint8_t>(c) & 15];
  }
  return text;
}

void StateHash::add(const Hash128& row) { sum_ += as_number(row); }
void StateHash::subtract(const Hash128& row) { sum_ -= as_number(row); }

Hash128 StateHash::value() const {
  Hash128 out;
  std::memcpy(out.data(), &sum_, sizeof sum_);
  return out;
}

}  // namespace berth
