// The table of codes (events/base/codes/codes.inc): what each stable word means, what to do, and its HTTP
// status. Pure, thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace berth {

struct CodeRow {
  std::uint32_t number;   // in records and replies; given once (events/schema/v1/code.proto)
  std::string_view word;  // "no-capacity"
  unsigned status;        // of a call of HTTP that is refused with the word; 0: none is
  std::string_view meaning;
  std::string_view advice;
};

inline constexpr CodeRow kCodeRows[] = {
#define CODE(number, word, status, meaning, advice) {number, word, status, meaning, advice},
#include "events/base/codes/codes.inc"
#undef CODE
};

static_assert(std::ranges::is_sorted(kCodeRows, {}, &CodeRow::word),
              "the table of codes is in the order of words");
static_assert(std::ranges::adjacent_find(kCodeRows, {}, &CodeRow::word) == std::end(kCodeRows),
              "no word stands twice in the table of codes");

// All rows, in the order of their words.
inline std::span<const CodeRow> code_table() { return kCodeRows; }
// The number of the word's row; 0: the table lacks the word. Without a null pointer: GCC 12 does not take the
// comparison with null for a constant where UBSan watches.
constexpr std::uint32_t number_of_code(std::string_view word) {
  const CodeRow* const found = std::ranges::lower_bound(kCodeRows, word, {}, &CodeRow::word);
  return found != std::end(kCodeRows) && found->word == word ? found->number : 0;
}

}  // namespace berth
