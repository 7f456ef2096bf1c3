// Widths, colours and control characters (table.h).
#include <algorithm>
#include <cstdint>
#include <functional>

#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

// One code point of UTF-8 at `at`, advancing it; a byte that is no UTF-8 stands for itself.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(at);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  std::uint32_t point = length == 1 ? first : first & (0x7Fu >> length);
  std::size_t i = at + 1;
  for (; i < at + length && i < text.size() && (byte(i) & 0xC0) == 0x80; ++i)
    point = point << 6 | (byte(i) & 0x3Fu);
  at = i;
  return point;
}

bool is_wide(std::uint32_t point) {
  constexpr std::uint32_t kRanges[][2] = {{0x1100, 0x115F},   {0x2E80, 0x303E},  {0x3041, 0xA4CF},
                                          {0xA960, 0xA97F},   {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
  for (const auto& [from, to] : kRanges)
    if (point >= from && point <= to) return true;
  return false;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) width += is_wide(next_code_point(text, at)) ? 2 : 1;
  return width;
}

bool steers_terminal(std::uint32_t point) {
  const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
  const bool direction = point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
                         (point >= 0x2066 && point <= 0x2069);
  return control || direction;
}

std::string replaced(std::string_view text, const std::function<std::string(std::uint32_t point)>& in_place) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t point = next_code_point(text, at);
    if (steers_terminal(point))
      out += in_place(point);
    else
      out += text.substr(begin, at - begin);
  }
  return out;
}

std::string printable(std::string_view text) {
  return replaced(text, [](std::uint32_t) { return "?"; });
}

std::string printable_lines(std::string_view text) {
  return replaced(text, [](std::uint32_t point) {
    return std::string(1, point == '\n' || point == '\t' ? static_cast<char>(point) : '?');
  });
}

namespace {

// Where the last text of a line begins that has two blanks or more in front.
std::size_t last_column(std::string_view line) {
  const auto gap = line.rfind("  ");
  return gap == std::string_view::npos ? 0 : gap + 2;
}

}  // namespace

std::string wrapped(const std::string& text, int width) {
  if (width <= 0) return text;
  const auto most = static_cast<std::size_t>(width);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    const std::size_t column = last_column(line);
    const std::size_t indent = column <= most / 2 ? column : 4;
    for (std::size_t begin = std::max<std::size_t>(column, 1); line.size() > most; begin = indent) {
      const auto blank = line.rfind(' ', most);
      if (blank == std::string::npos || blank < begin) break;
      out += line.substr(0, blank) + "\n";
      line = std::string(indent, ' ') + line.substr(blank + 1);
    }
    out += line + "\n";
    at = end + 1;
  }
  return out;
}

std::string clipped_to(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    next_code_point(text, at);
    if (display_width(text.substr(0, at)) > width - 2) break;
    end = at;
  }
  return std::string(text.substr(0, end)) + "..";
}

std::string tinted(const std::string& state, bool color) {
  if (!color) return state;
  const auto any = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (state == name) return true;
    return false;
  };
  const char* code = any({"RUNNING", "ALIVE", "SUCCESS"})                              ? "32"
                     : any({"ERROR", "LOST", "FAILED", "FENCED", "UNREACHABLE"})       ? "31"
                     : any({"PENDING", "TERMINATING", "DRAINING", "RUNNING_DEGRADED"}) ? "33"
                     : any({"SCHEDULED", "PREPARING", "PULLING", "PREPARED", "CREATING", "RESERVED",
                            "RESCHEDULING", "RESTARTING"})
                         ? "36"
                     : any({"TERMINATED", "CANCELLED", "LEFT"}) ? "2"
                                                                : nullptr;
  return code == nullptr ? state : std::string("\x1b[") + code + "m" + state + "\x1b[0m";
}

}  // namespace berth::cli
