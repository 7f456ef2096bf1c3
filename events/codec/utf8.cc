#include "events/codec/utf8.h"

#include <cstddef>
#include <cstdint>

namespace berth {
namespace {

// How many bytes follow the first one of a character, and the range of the second; the others are 80 to BF.
struct Lead {
  std::size_t more;
  std::uint8_t low, high;
};

Lead lead_of(std::uint8_t first) {
  if (first >= 0xC2 && first <= 0xDF) return {1, 0x80, 0xBF};
  if (first == 0xE0) return {2, 0xA0, 0xBF};
  if (first == 0xED) return {2, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {2, 0x80, 0xBF};
  if (first == 0xF0) return {3, 0x90, 0xBF};
  if (first >= 0xF1 && first <= 0xF3) return {3, 0x80, 0xBF};
  if (first == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (at(i) < 0x80) continue;
    const Lead lead = lead_of(at(i));
    if (lead.more == 0 || bytes.size() - i <= lead.more) return false;
    if (at(i + 1) < lead.low || at(i + 1) > lead.high) return false;
    for (std::size_t more = 2; more <= lead.more; ++more)
      if (at(i + more) < 0x80 || at(i + more) > 0xBF) return false;
    i += lead.more;
  }
  return true;
}

}  // namespace berth
