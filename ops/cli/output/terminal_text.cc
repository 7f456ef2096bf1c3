#include "ops/cli/output/terminal_text.h"

#include <cstdint>
#include <cstdio>

#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

// Bytes of the character that begins with `lead`; 0: none does.
std::size_t length_of(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

// How many bytes from the first on are of one character; less than `length` where it is cut or broken.
std::size_t whole_part(std::string_view text, std::size_t length) {
  std::size_t part = 1;
  while (part < length && part < text.size() && (static_cast<unsigned char>(text[part]) & 0xC0) == 0x80)
    ++part;
  return part;
}

std::string formatted(const char* format, unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string shown_character(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  std::uint32_t point = bytes.size() == 1 ? lead : lead & (0x7Fu >> bytes.size());
  for (const char c : bytes.substr(1)) point = point << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  if (!steers_terminal(point) || point == '\n' || point == '\r' || point == '\t') return std::string(bytes);
  if (point < 0x80) return {'^', static_cast<char>(point ^ 0x40)};
  return formatted("<U+%04X>", point);
}

}  // namespace

std::string TerminalText::shown(std::string_view bytes) {
  const std::string text = cut_.append(bytes);
  std::string_view rest = text;
  cut_.clear();
  std::string out;
  while (!rest.empty()) {
    const std::size_t length = length_of(static_cast<unsigned char>(rest[0]));
    const std::size_t part = whole_part(rest, length);
    if (part < length && part == rest.size()) {
      cut_ = rest;
      break;
    }
    const bool whole = length != 0 && part == length;
    out += whole ? shown_character(rest.substr(0, length))
                 : formatted("\\x%02x", static_cast<unsigned char>(rest[0]));
    rest.remove_prefix(whole ? length : 1);
  }
  return out;
}

}  // namespace berth::cli
