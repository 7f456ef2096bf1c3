// Which live sessions keep a definition from being removed.
#pragma once

#include <string>
#include <vector>

#include "projections/tables/state.h"

namespace berth::projections {

// They give rows in the order of their ids. They look at every session.
std::vector<const SessionRow*> live_sessions_in_group(const State& state, const std::string& group);
// The image of the session, or of one of its roles.
std::vector<const SessionRow*> live_sessions_of_image(const State& state, const std::string& image);
// `kind`: DOMAIN, PROJECT (DOMAIN/NAME) or USER.
std::vector<const SessionRow*> live_sessions_of_owner(const State& state, v1::DefinitionKind kind,
                                                      const std::string& id);

}  // namespace berth::projections
