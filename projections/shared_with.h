// Whom the shares of folders and sessions name: a user by name, or a project "DOMAIN/NAME" and so its
// members. Pure.
#pragma once

#include <string_view>

#include "projections/rights.h"

namespace berth::projections {

// `scope`: USER, PROJECT.
bool is_shared_with(const Actor& actor, v1::ScopeKind scope, std::string_view id);

}  // namespace berth::projections
