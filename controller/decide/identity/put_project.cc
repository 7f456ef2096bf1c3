#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "controller/decide/name_retired.h"

namespace berth::controller {

using projections::Noun;
using projections::Verb;

Decision decide(const DecisionContext& c, const v1::PutProject& body) {
  const std::string full_name = body.domain() + "/" + body.name();
  const auto* known = c.state.projects.find(full_name);
  v1::Owner domain, subject;
  domain.set_domain(body.domain());
  subject.set_domain(body.domain());
  subject.set_project(body.name());
  if (!body.create()) {
    if (known == nullptr || !allowed(c, Noun::kProject, Verb::kSee, subject))
      return unknown("project", full_name);
    if (!allowed(c, Noun::kProject, Verb::kChange, subject))
      return denied("you may not change project " + full_name);
  } else {
    if (c.state.domains.find(body.domain()) == nullptr || !allowed(c, Noun::kDomain, Verb::kSee, domain))
      return unknown("domain", body.domain());
    if (!allowed(c, Noun::kProject, Verb::kCreate, domain)) return denied("you may not create projects");
    if (auto refusal = check_new_name("project", body.name())) return *refusal;
    if (known != nullptr) return Refusal{"name-in-use", "there is a project " + full_name + " already", ""};
    if (auto retired = check_not_retired(c.state, v1::DEFINITION_KIND_PROJECT, full_name)) return *retired;
  }
  if (auto refusal = check_display_name(body.display_name())) return *refusal;
  EventList events;
  auto& project = *events.add(c.stamp).mutable_project_defined();
  if (known != nullptr) project = known->def;
  project.set_domain(body.domain());
  project.set_name(body.name());
  if (body.has_display_name()) project.set_display_name(body.display_name());
  return events;
}

}  // namespace berth::controller
