#include "events/base/text.h"

#include <algorithm>

namespace berth {

std::string clipped(std::string_view text, std::size_t max) {
  if (text.size() <= max) return std::string(text);
  while (max > 0 && (static_cast<unsigned char>(text[max]) & 0xC0) == 0x80) --max;
  return std::string(text.substr(0, max)) + "...";
}

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string listed(const std::vector<std::string>& names, std::size_t most, std::size_t unnamed) {
  const std::size_t shown = std::min(most, names.size());
  const std::size_t others = names.size() - shown + unnamed;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return others == 0 ? text : text + " and " + std::to_string(others) + " more";
}

}  // namespace berth
