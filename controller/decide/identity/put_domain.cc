#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "controller/decide/name_retired.h"

namespace berth::controller {

using projections::Noun;
using projections::Verb;

Decision decide(const DecisionContext& c, const v1::PutDomain& body) {
  const auto* known = c.state.domains.find(body.name());
  v1::Owner subject;
  subject.set_domain(body.name());
  if (!body.create()) {
    if (known == nullptr || !allowed(c, Noun::kDomain, Verb::kSee, subject))
      return unknown("domain", body.name());
    if (!allowed(c, Noun::kDomain, Verb::kChange, subject)) return denied("you may not change domains");
  } else {
    if (!allowed(c, Noun::kDomain, Verb::kCreate, subject)) return denied("you may not create domains");
    if (auto refusal = check_new_name("domain", body.name())) return *refusal;
    if (known != nullptr) return Refusal{"name-in-use", "there is a domain " + body.name() + " already", ""};
    if (auto retired = check_not_retired(c.state, v1::DEFINITION_KIND_DOMAIN, body.name())) return *retired;
  }
  if (auto refusal = check_display_name(body.display_name())) return *refusal;
  EventList events;
  auto& domain = *events.add(c.stamp).mutable_domain_defined();
  if (known != nullptr) domain = known->def;
  domain.set_name(body.name());
  if (body.has_display_name()) domain.set_display_name(body.display_name());
  return events;
}

}  // namespace berth::controller
