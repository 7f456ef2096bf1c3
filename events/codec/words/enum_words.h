// What JSON, keys of rows and people call a value of the schema's enums: its name without the enum's prefix,
// in small letters. ROLE_DOMAIN_ADMIN is "domain-admin". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/generated_enum_reflection.h>

#include "events/schema/v1/event.pb.h"
#include "events/schema/v1/keeping.pb.h"

namespace berth {

// By number; that of UNSPECIFIED is empty. None where the enum's names have no prefix.
std::vector<std::string> words_of(const google::protobuf::EnumDescriptor& type);

template <class E> const std::vector<std::string>& words_of() {
  static const std::vector<std::string> words = words_of(*google::protobuf::GetEnumDescriptor<E>());
  return words;
}

// Whether the schema names the value, and it is not UNSPECIFIED.
template <class E> bool has_word(E value) {
  return value > 0 && static_cast<std::size_t>(value) < words_of<E>().size();
}

// Empty of UNSPECIFIED; of a number that the schema does not name its digits.
template <class E> std::string word(E value) {
  return has_word(value) ? words_of<E>()[static_cast<std::size_t>(value)]
         : value == 0    ? std::string()
                         : std::to_string(static_cast<int>(value));
}

// nullopt: no word of the enum.
template <class E> std::optional<E> from_word(std::string_view text) {
  const auto& words = words_of<E>();
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] == text) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace berth
