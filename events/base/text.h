// Text for people: quotes of what somebody sent, and lists of names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

// The text, or its beginning and "...", cut between two characters: half a UTF-8 character in an event would
// make its record unreadable for everybody. `max` in bytes.
std::string clipped(std::string_view text, std::size_t max = 80);

// The length of a UTF-8 text, as JSON Schema counts it.
std::size_t characters(std::string_view utf8);

// "a, b and 3 more": the first `most` names in the given order, and how many others there are; `unnamed` of
// these have no name to show.
std::string listed(const std::vector<std::string>& names, std::size_t most, std::size_t unnamed = 0);

}  // namespace berth
