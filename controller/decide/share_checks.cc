#include "controller/decide/share_checks.h"

#include "controller/decide/identity/identity_checks.h"
#include "events/base/text.h"

namespace berth::controller {

std::optional<Refusal> check_share_with(const DecisionContext& c, const std::string& domain,
                                        const std::string& scope, const std::string& id) {
  if (scope == "user") {
    const auto* user = c.state.users.find(id);
    if (user == nullptr || user->def.domain() != domain) return unknown("user", id);
    return std::nullopt;
  }
  if (scope == "project") {
    const auto* project = c.state.projects.find(id);
    if (project == nullptr || project->def.domain() != domain) return unknown("project", id);
    return std::nullopt;
  }
  return Refusal{"unknown-scope", "nothing is shared with a '" + clipped(scope) + "'", "user, project"};
}

Refusal too_many_shares(const std::string& what, int most) {
  return {"too-many-shares", what + " is shared with " + std::to_string(most) + " users and projects already",
          "share it with a project"};
}

}  // namespace berth::controller
