// Limits: set whole, or removed. Whoever is over a new limit keeps what it has and gets nothing more.
#include "controller/decide/decide.h"
#include "projections/limits.h"

namespace berth::controller {

Decision decide(const DecisionContext& c, const v1::SetLimit& body) {
  if (auto refusal = projections::check_limit(c.state, body.limit())) return *refusal;
  if (body.limit().ByteSizeLong() > (16u << 10))
    return Refusal{"request-too-large", "the limit names too many slots", "at most 16 KiB"};
  EventList events;
  v1::Event& e = events.add(c.stamp);
  *e.mutable_limit_set() = body.limit();
  return events;
}

Decision decide(const DecisionContext& c, const v1::RemoveLimit& body) {
  if (c.state.limits.find(body.scope() + "/" + body.id()) == nullptr)
    return Refusal{"unknown-limit",
                   body.scope().substr(0, 80) + " " + body.id().substr(0, 80) + " has no limit",
                   "berth limit ls"};
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_limit_removed()->set_scope(body.scope());
  e.mutable_limit_removed()->set_id(body.id());
  return events;
}

}  // namespace berth::controller
