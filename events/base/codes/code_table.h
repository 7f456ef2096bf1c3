// The table of codes (events/base/codes/codes.inc): what each stable word means, what to do, and its HTTP
// status. Pure, thread-safe.
#pragma once

#include <span>
#include <string_view>

namespace berth {

struct CodeRow {
  std::string_view word;  // "no-capacity"
  unsigned status;        // of a call of HTTP that is refused with the word; 0: none is
  std::string_view meaning;
  std::string_view advice;
};

// All rows, in the order of their words.
std::span<const CodeRow> code_table();
// Null: the table lacks the word.
const CodeRow* find_code(std::string_view word);

}  // namespace berth
