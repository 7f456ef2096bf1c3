// Text for people that quotes what somebody sent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth {

// The text, or its beginning and "...", cut between two characters: half a UTF-8 character in an event would
// make its record unreadable for everybody. `max` in bytes.
std::string clipped(std::string_view text, std::size_t max = 80);

}  // namespace berth
