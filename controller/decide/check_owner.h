// Whether the owner of a request exists, and what a producer may ask for (P1). Pure.
#pragma once

#include <optional>

#include "events/base/refusal.h"
#include "events/schema/v1/request.pb.h"
#include "projections/tables/state.h"

namespace berth::controller {

// Code unknown-owner: the user, domain, project or key pair does not exist, or they do not belong together. A
// superadmin may ask in every project that exists. Code user-disabled.
std::optional<Refusal> check_owner(const projections::State& state, const v1::Owner& owner);

// Code denied: a producer asks for sessions of the user that has its name, ends them, and nothing else.
std::optional<Refusal> check_producer(const v1::Request& request);

}  // namespace berth::controller
