#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "events/base/wire_time.h"

namespace berth::controller {
namespace {

constexpr Duration kLinkTimeMax = 30 * 24 * kHour;

}  // namespace

Decision decide(const DecisionContext& c, const v1::IssueLoginLink& body) {
  if (auto refusal = check_user(c, projections::Noun::kLoginLink, projections::Verb::kCreate, body.user()))
    return *refusal;
  if (body.token_hash().size() != sizeof(Hash128))
    return Refusal{"invalid-definition", "a login link comes with its token's hash", "ask by the API"};
  const Timestamp expires = from_wire_ms(body.expires_ms());
  if (expires <= c.now || expires > c.now + kLinkTimeMax)
    return Refusal{"invalid-value", "a login link is good for up to 30 days", ""};
  EventList events;
  end_login_link(c, body.user(), "replaced", events);
  auto* link = events.add(c.stamp).mutable_login_link_issued();
  link->set_user(body.user());
  link->set_token_hash(body.token_hash());
  link->set_expires_ns(expires);
  return events;
}

}  // namespace berth::controller
