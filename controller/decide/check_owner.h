// Whether the owner of a request exists. Pure.
#pragma once

#include <optional>

#include "events/base/refusal.h"
#include "events/schema/v1/request.pb.h"
#include "projections/tables/state.h"

namespace berth::controller {

// Code unknown-owner: the user, domain, project or key pair does not exist, or they do not belong together. A
// superadmin may ask in every project that exists. Code user-disabled.
std::optional<Refusal> check_owner(const projections::State& state, const v1::Owner& owner);

}  // namespace berth::controller
