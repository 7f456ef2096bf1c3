// What every writer of CSV needs to know of a field. Pure.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// Whether a spreadsheet would take it for a formula, and run it: it begins with = + - @, a tab or a CR.
bool is_like_formula(std::string_view field);
// By RFC 4180: within quotes where a comma, a quote or a line break asks for them.
std::string csv_quoted(const std::string& field);

}  // namespace berth
