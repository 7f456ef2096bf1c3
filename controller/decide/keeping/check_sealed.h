// Whether a sealed secret that a request brings can be opened for as long as it lives. Pure.
#pragma once

#include <optional>

#include "controller/decide/context.h"
#include "events/schema/v1/common.pb.h"

namespace berth::controller {

// A server that stood still may seal with a key that was destroyed meanwhile: nobody could open what it
// sealed. The API seals anew by the key of now, and asks again. Code: kSealKeyDestroyed.
std::optional<Refusal> check_sealed(const DecisionContext& c, const v1::Sealed& sealed);

}  // namespace berth::controller
