#include "events/base/uuid.h"

namespace berth {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_dash_place(std::size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

}  // namespace

std::optional<Uuid> Uuid::from_bytes(std::string_view wire) {
  Uuid id;
  if (wire.empty()) return id;
  if (wire.size() != id.bytes.size()) return std::nullopt;
  std::memcpy(id.bytes.data(), wire.data(), wire.size());
  return id;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid id;
  std::size_t digit = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_place(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) return std::nullopt;
    auto& byte = id.bytes[digit / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
    ++digit;
  }
  return id;
}

Uuid Uuid::from_hash(const std::array<std::uint8_t, 16>& hash) {
  Uuid id;
  id.bytes = hash;
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x80);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3F) | 0x80);
  return id;
}

std::string to_string(const Uuid& id) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kHex[id.bytes[i] >> 4];
    text += kHex[id.bytes[i] & 15];
  }
  return text;
}

}  // namespace berth
