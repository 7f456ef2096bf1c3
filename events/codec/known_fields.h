// Finds fields that this build does not know (P15) in a message's bytes, by its descriptor and before
// parsing.
//
// Protobuf silently sets unknown fields aside, so that a fold would fork. Walking the wire costs about 50 ns
// an event.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/descriptor.h>

namespace berth {

// The path of the first unknown field, like "Record.events[3].session_requested.#99"; empty if there is none.
// An unknown event body that is marked skippable counts as known (P15). Thread-safe.
std::string first_unknown_field(const google::protobuf::Descriptor& type, std::string_view bytes);

}  // namespace berth
