// Fields: `name=value` lines, '\\' and newline escaped, first line "v=1", last line "end=". Standard library
// only: berth-init and the launcher link it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

// In the order in which they stand; a name may come several times.
using Fields = std::vector<std::pair<std::string, std::string>>;

std::string encode_fields(const Fields& fields);
// nullopt if damaged, cut short or of another version.
std::optional<Fields> decode_fields(std::string_view bytes);

}  // namespace berth
