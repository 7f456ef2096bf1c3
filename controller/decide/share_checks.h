// What the decisions about shares have in common: whom folders and sessions are shared with. Pure.
#pragma once

#include <optional>
#include <string>

#include "controller/decide/context.h"

namespace berth::controller {

// Whether there is such a user, or project "DOMAIN/NAME", of the domain. Those of another domain are as
// unknown as those that do not exist. Codes: unknown-user, unknown-project, unknown-scope.
std::optional<Refusal> check_share_with(const DecisionContext& c, const std::string& domain,
                                        v1::ScopeKind scope, const std::string& id);

// `what`: "folder data". Code too-many-shares.
Refusal too_many_shares(const std::string& what, int most);

}  // namespace berth::controller
