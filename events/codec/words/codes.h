// Codes as records have them: numbers of v1::Code. Pure.
#pragma once

#include <cstdint>

#include "events/base/codes/code.h"
#include "events/schema/v1/code.pb.h"

namespace berth {

inline v1::Code wire(Code code) { return static_cast<v1::Code>(code.number()); }
// A number that this build does not know stays as it is.
inline Code code_of(v1::Code code) { return Code::of_number(static_cast<std::uint32_t>(code)); }

}  // namespace berth
