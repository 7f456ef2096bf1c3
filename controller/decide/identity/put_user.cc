#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "controller/decide/name_retired.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller {
namespace {

using projections::Noun;
using projections::Verb;

std::optional<Refusal> check_role(const DecisionContext& c, v1::Role role) {
  if (!has_word(role))
    return Refusal{"unknown-role", "there is no role '" + word(role) + "'",
                   "user, monitor, domain-admin or superadmin"};
  if (c.actor && !projections::may_manage_role(*c.actor, role))
    return denied("the role " + word(role) + " is not yours to grant");
  return std::nullopt;
}

std::optional<Refusal> check_new(const DecisionContext& c, const v1::PutUser& body) {
  v1::Owner domain;
  domain.set_domain(body.domain());
  if (c.state.domains.find(body.domain()) == nullptr || !allowed(c, Noun::kDomain, Verb::kSee, domain))
    return unknown("domain", body.domain());
  if (!allowed(c, Noun::kUser, Verb::kCreate, domain)) return denied("you may not create users");
  if (auto refusal = check_new_name("user", body.name())) return refusal;
  if (c.state.users.find(body.name()) != nullptr)
    return Refusal{"name-in-use", "there is a user " + body.name() + " already", "choose another name"};
  if (auto retired = check_not_retired(c.state, v1::DEFINITION_KIND_USER, body.name())) return retired;
  if (body.projects_size() > projections::kProjectsOfUserMax)
    return Refusal{"invalid-definition", "a user is in at most 256 projects", ""};
  for (const auto& project : body.projects())
    if (c.state.projects.find(body.domain() + "/" + project) == nullptr)
      return unknown("project", body.domain() + "/" + project);
  return std::nullopt;
}

std::optional<Refusal> check_change(const DecisionContext& c, const v1::PutUser& body) {
  if (body.has_domain() || body.projects_size() > 0)
    return Refusal{"invalid-definition", "a user's domain stays, and projects are memberships",
                   "berth project member add"};
  return check_user(c, Noun::kUser, Verb::kChange, body.name());
}

void add_once(v1::UserDefined& user, const std::string& project) {
  if (std::find(user.projects().begin(), user.projects().end(), project) == user.projects().end())
    user.add_projects(project);
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::PutUser& body) {
  if (auto refusal = body.create() ? check_new(c, body) : check_change(c, body)) return *refusal;
  if (auto refusal = check_display_name(body.display_name())) return *refusal;
  if (body.has_role())
    if (auto refusal = check_role(c, body.role())) return *refusal;
  v1::UserDefined user;
  if (body.create()) {
    user.set_name(body.name());
    user.set_domain(body.domain());
    user.set_role(v1::ROLE_USER);
    for (const auto& project : body.projects()) add_once(user, project);
  } else {
    user = c.state.users.find(body.name())->def;
  }
  if (body.has_display_name()) user.set_display_name(body.display_name());
  if (body.has_role()) user.set_role(body.role());
  if (body.has_disabled()) user.set_disabled(body.disabled());
  if (auto refusal = check_superadmin_stays(c, {&user})) return *refusal;
  EventList events;
  *events.add(c.stamp).mutable_user_defined() = user;
  end_credentials_of_old_role(c, user, events);
  if (user.disabled()) end_browser_sessions(c, user.name(), "user-disabled", {}, events);
  return events;
}

}  // namespace berth::controller
