// lower_case(): a text with its ASCII letters in lower case, for names that are compared so. Pure.
#pragma once

#include <string>
#include <string_view>

namespace berth::controller::api {

inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace berth::controller::api
