#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "events/base/text.h"

namespace berth::controller {
namespace {

using projections::Noun;
using projections::Verb;

using Names = google::protobuf::RepeatedPtrField<std::string>;

void put(Names& names, const std::string& name, bool in) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (in && at == names.end()) *names.Add() = name;
  if (!in && at != names.end()) names.erase(at);
}

// Members of a project may come from the whole domain, so its users are no secret to the project's admins.
std::optional<Refusal> check(const DecisionContext& c, const v1::PutMembership& body) {
  const auto* user = c.state.users.find(body.user());
  if (user == nullptr ||
      (c.actor && c.actor->role != v1::ROLE_SUPERADMIN && c.actor->domain != user->def.domain()))
    return unknown("user", body.user());
  v1::Owner subject;
  subject.set_domain(user->def.domain());
  subject.set_project(body.project());
  const std::string full_name = user->def.domain() + "/" + body.project();
  if (c.state.projects.find(full_name) == nullptr || !allowed(c, Noun::kProject, Verb::kSee, subject))
    return unknown("project", full_name);
  if (!allowed(c, Noun::kMembership, Verb::kChange, subject))
    return denied("you do not administer project " + full_name);
  const v1::Role role = user->def.role();
  if (c.actor && c.actor->user != body.user() && role != v1::ROLE_USER &&
      !projections::may_manage_role(*c.actor, role))
    return denied("user " + body.user() + " has a role above yours");
  if (body.level() != "member" && body.level() != "admin" && body.level() != "none")
    return Refusal{"invalid-level", "there is no level '" + clipped(body.level()) + "'",
                   "member, admin or none"};
  if (body.level() != "none" && user->def.projects_size() >= projections::kProjectsOfUserMax)
    return Refusal{"invalid-definition", "a user is in at most 256 projects", ""};
  return std::nullopt;
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::PutMembership& body) {
  if (auto refusal = check(c, body)) return *refusal;
  EventList events;
  auto& user = *events.add(c.stamp).mutable_user_defined();
  user = c.state.users.find(body.user())->def;
  put(*user.mutable_projects(), body.project(), body.level() != "none");
  put(*user.mutable_admin_of(), body.project(), body.level() == "admin");
  return events;
}

}  // namespace berth::controller
