#include "events/copy/entry_name.h"

namespace berth::copy {
namespace {

bool has_zero_byte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// Takes the part up to the next slash off the front, and the slash.
std::string_view take_part(std::string_view& rest) {
  const std::size_t slash = rest.find('/');
  const std::string_view part = rest.substr(0, slash);
  rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
  return part;
}

}  // namespace

std::optional<std::vector<std::string>> parts_of(std::string_view name) {
  if (name.empty() || name.size() > kEntryNameMax || name.front() == '/' || has_zero_byte(name))
    return std::nullopt;
  std::vector<std::string> parts;
  while (!name.empty()) {
    const std::string_view part = take_part(name);
    if (part.empty() || part == ".") continue;
    if (part == ".." || part.size() > kPartMax || parts.size() == kDepthMax) return std::nullopt;
    parts.emplace_back(part);
  }
  return parts;
}

bool stays_inside(std::string_view target, std::size_t depth) {
  if (target.empty() || target.front() == '/' || has_zero_byte(target)) return false;
  bool goes_down = false;
  while (!target.empty()) {
    const std::string_view part = take_part(target);
    if (part.empty() || part == ".") continue;
    if (part != "..")
      goes_down = true;
    else if (goes_down || depth-- == 0)
      return false;
  }
  return true;
}

std::string shown(std::string_view name) {
  constexpr std::size_t kShownMax = 256;
  std::string text(name.substr(0, kShownMax));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = '?';
  return name.size() > kShownMax ? text + "..." : text;
}

}  // namespace berth::copy
