// Codes beside words: a test writes the word that people see. Included in every test by the compiler's
// options, for the assertions of Google Test take what they compare through templates.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "events/base/codes/code.h"

namespace berth {

template <std::same_as<Code> C> bool operator==(C code, const char* word) { return code.word() == word; }
template <std::same_as<Code> C> bool operator==(C code, const std::string& word) {
  return code.word() == word;
}
template <std::same_as<Code> C> bool operator==(C code, std::string_view word) { return code.word() == word; }

}  // namespace berth
