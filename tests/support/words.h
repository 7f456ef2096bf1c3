// Values of the schema's enums by their words.
#pragma once

#include <string_view>

#include "events/codec/words/enum_words.h"

namespace berth::testing {

// UNSPECIFIED of an empty text; of no word of the enum a number that the schema does not name.
template <class E> E value_of(std::string_view word) {
  return word.empty() ? E{} : from_word<E>(word).value_or(static_cast<E>(99));
}

}  // namespace berth::testing
