#include "events/base/codes/code.h"

namespace berth {
namespace {

const CodeRow* row_of(std::uint32_t number) {
  for (const CodeRow& row : code_table())
    if (row.number == number) return &row;
  return nullptr;
}

}  // namespace

Code Code::told(std::string_view word) {
  if (word.empty()) return {};
  const std::uint32_t number = number_of_code(word);
  return number == 0 ? Code("unknown-code") : of_number(number);
}

std::string Code::word() const {
  if (empty()) return {};
  const CodeRow* const row = row_of(number_);
  return row == nullptr ? "code-" + std::to_string(number_) : std::string(row->word);
}

unsigned Code::status(unsigned otherwise) const {
  const CodeRow* const row = row_of(number_);
  return row == nullptr || row->status == 0 ? otherwise : row->status;
}

std::string_view Code::advice() const {
  const CodeRow* const row = row_of(number_);
  return row == nullptr ? std::string_view() : row->advice;
}

}  // namespace berth
