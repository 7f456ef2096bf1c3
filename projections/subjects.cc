#include "projections/subjects.h"

#include <algorithm>

namespace berth::projections {
namespace {

v1::Owner limit_subject(const State& state, v1::ScopeKind scope, const std::string& id) {
  v1::Owner out;
  if (scope == v1::SCOPE_KIND_DOMAIN) {
    out.set_domain(id);
  } else if (scope == v1::SCOPE_KIND_PROJECT) {
    if (const ProjectRow* project = state.projects.find(id)) {
      out.set_domain(project->def.domain());
      out.set_project(project->def.name());
    }
  } else {
    const KeyPairRow* key = scope == v1::SCOPE_KIND_KEYPAIR ? state.key_pairs.find(id) : nullptr;
    if (const UserRow* user = state.users.find(key != nullptr ? key->def.user() : id)) {
      out.set_domain(user->def.domain());
      out.set_user(user->def.name());
    }
  }
  return out;
}

}  // namespace

bool is_group_scope(v1::ScopeKind scope) {
  return scope == v1::SCOPE_KIND_DOMAIN || scope == v1::SCOPE_KIND_PROJECT || scope == v1::SCOPE_KIND_USER;
}

bool is_limit_scope(v1::ScopeKind scope) { return is_group_scope(scope) || scope == v1::SCOPE_KIND_KEYPAIR; }

bool may_see_limit(const State& state, const Actor& actor, v1::ScopeKind scope, const std::string& id) {
  return may(actor, Noun::kLimit, Verb::kSee, limit_subject(state, scope, id));
}

bool may_change_limit(const State& state, const Actor& actor, v1::ScopeKind scope, const std::string& id) {
  const Noun noun = scope == v1::SCOPE_KIND_DOMAIN ? Noun::kDomain : Noun::kLimit;
  const v1::Owner subject = limit_subject(state, scope, id);
  if (!may(actor, noun, Verb::kChange, subject)) return false;
  if (subject.user().empty() || actor.role == v1::ROLE_SUPERADMIN) return true;
  return subject.user() != actor.user && may_manage_role(actor, state.users.find(subject.user())->def.role());
}

bool is_open_to(const v1::ResourceGroupDefined& group, const Actor& actor, const std::string& project) {
  if (group.open_to().empty() || reach(actor, Noun::kGroup, Verb::kSee) == Reach::kAll) return true;
  const std::string full_name = actor.domain + "/" + project;
  return std::any_of(group.open_to().begin(), group.open_to().end(), [&](const v1::Scope& to) {
    if (to.scope() == v1::SCOPE_KIND_DOMAIN) return to.id() == actor.domain;
    return to.scope() == v1::SCOPE_KIND_PROJECT ? to.id() == full_name : to.id() == actor.user;
  });
}

bool sees_group(const Actor& actor, const v1::ResourceGroupDefined& group) {
  if (is_open_to(group, actor, "")) return true;
  return std::any_of(actor.projects.begin(), actor.projects.end(),
                     [&](const std::string& project) { return is_open_to(group, actor, project); });
}

bool sees_agent(const State& state, const Actor& actor, const AgentRow& agent) {
  if (const GroupRow* group = state.groups.find(agent.group)) return sees_group(actor, group->def);
  return reach(actor, Noun::kAgent, Verb::kSee) == Reach::kAll;
}

}  // namespace berth::projections
