#include "events/base/plain_text.h"

namespace berth {
namespace {

// Of the character whose encoding begins the text.
bool is_control(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return true;
  if (byte(0) == 0xC2) return byte(1) < 0xA0;  // U+0080 .. U+009F
  if (byte(0) != 0xE2) return false;
  if (byte(1) == 0x80) return byte(2) >= 0xA8 && byte(2) <= 0xAE;  // U+2028 .. U+202E
  return byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;    // U+2066 .. U+2069
}

}  // namespace

bool has_control_character(std::string_view utf8) {
  for (std::size_t i = 0; i < utf8.size(); ++i)
    if (is_control(utf8.substr(i))) return true;
  return false;
}

}  // namespace berth
