#include "events/base/plain_text.h"

#include "events/base/text.h"

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

// Bytes of the UTF-8 character that the text begins with; 0: it begins with none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i)
      if ((byte(i) & 0xC0) != 0x80) return false;
    return true;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF && follows(1)) return 2;
  if (first >= 0xE0 && first <= 0xEF && follows(2))  // overlong ones and surrogates are none
    return (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ? 0 : 3;
  if (first >= 0xF0 && first <= 0xF4 && follows(3))
    return (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90) ? 0 : 4;
  return 0;
}

}  // namespace

std::string plain_line(std::string_view bytes, std::size_t max) {
  std::string line;
  bool space = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = character_bytes(bytes.substr(at));
    const bool shown = size > 0 && bytes[at] != ' ' && !is_control(bytes.substr(at));
    if (shown && space && !line.empty()) line += ' ';
    if (shown) line += bytes.substr(at, size);
    space = !shown;
    at += size == 0 ? 1 : size;
  }
  return clipped(line, max);
}

bool has_control_character(std::string_view utf8) {
  for (std::size_t i = 0; i < utf8.size(); ++i)
    if (is_control(utf8.substr(i))) return true;
  return false;
}

}  // namespace berth
