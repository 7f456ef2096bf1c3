#include "events/base/secrets.h"

#include <sodium.h>

#include <array>
#include <cstring>

namespace berth {

std::string random_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

Uuid SystemRandom::uuid() {
  std::array<std::uint8_t, 16> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  Uuid id = Uuid::from_hash(bytes);
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x40);  // version 4: random
  return id;
}

}  // namespace berth
