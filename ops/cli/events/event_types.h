// The types of events that this program knows.
#pragma once

#include <string>
#include <vector>

namespace berth::cli {

// "SessionScheduled", ..., as in the schema.
const std::vector<std::string>& event_types();

}  // namespace berth::cli
