// JSON values as text for people and programs. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "events/base/codes/code.h"

namespace berth::cli {

// In one line. As in all JSON and YAML here, what a terminal would obey (control characters, direction marks)
// stands as \uXXXX, which means the same.
std::string one_line_json(const boost::json::value& value);
// Two spaces of indent, keys in the server's order, no newline at the end.
std::string pretty_json(const boost::json::value& value);
std::string to_yaml(const boost::json::value& value);

// The value at "a.b.c" within nested objects; nullptr where a part is missing.
const boost::json::value* find_path(const boost::json::value& value, std::string_view path);
// The text of that value: strings bare, numbers and booleans as JSON; "" for null, missing and containers.
std::string text_at(const boost::json::value& value, std::string_view path);
// The code whose word that text is; unknown-code where this build has no such word.
Code code_at(const boost::json::value& value, std::string_view path);
std::string scalar_text(const boost::json::value& value);
// 0 if missing or no integer (decimal strings count).
std::int64_t integer_at(const boost::json::value& value, std::string_view path);
bool true_at(const boost::json::value& value, std::string_view path);
// The array at `path`; empty if there is no array.
const boost::json::array& array_at(const boost::json::value& value, std::string_view path);

}  // namespace berth::cli
