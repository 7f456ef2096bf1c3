#include "events/base/codes/code_table.h"

#include <algorithm>

namespace berth {
namespace {

constexpr CodeRow kRows[] = {
#define CODE(word, status, meaning, advice) {word, status, meaning, advice},
#include "events/base/codes/codes.inc"
#undef CODE
};

static_assert(std::ranges::is_sorted(kRows, {}, &CodeRow::word),
              "the table of codes is in the order of words");
static_assert(std::ranges::adjacent_find(kRows, {}, &CodeRow::word) == std::end(kRows),
              "no word stands twice in the table of codes");

}  // namespace

std::span<const CodeRow> code_table() { return kRows; }

const CodeRow* find_code(std::string_view word) {
  const auto* const found = std::ranges::lower_bound(kRows, word, {}, &CodeRow::word);
  return found != std::end(kRows) && found->word == word ? found : nullptr;
}

}  // namespace berth
