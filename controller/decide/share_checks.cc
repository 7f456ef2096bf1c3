#include "controller/decide/share_checks.h"

#include "controller/decide/identity/identity_checks.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller {

std::optional<Refusal> check_share_with(const DecisionContext& c, const std::string& domain,
                                        v1::ScopeKind scope, const std::string& id) {
  if (scope == v1::SCOPE_KIND_USER) {
    const auto* user = c.state.users.find(id);
    if (user == nullptr || user->def.domain() != domain) return unknown("user", id);
    return std::nullopt;
  }
  if (scope == v1::SCOPE_KIND_PROJECT) {
    const auto* project = c.state.projects.find(id);
    if (project == nullptr || project->def.domain() != domain) return unknown("project", id);
    return std::nullopt;
  }
  return Refusal{"unknown-scope", "nothing is shared with a '" + word(scope) + "'", "user, project"};
}

Refusal too_many_shares(const std::string& what, int most) {
  return {"too-many-shares", what + " is shared with " + std::to_string(most) + " users and projects already",
          "share it with a project"};
}

}  // namespace berth::controller
