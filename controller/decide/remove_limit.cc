#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "events/base/text.h"
#include "events/codec/words/enum_words.h"
#include "projections/subjects.h"

namespace berth::controller {

Decision decide(const DecisionContext& c, const v1::RemoveLimit& body) {
  if (c.actor && !projections::may_change_limit(c.state, *c.actor, body.scope(), body.id()))
    return denied("this limit is not yours to set");
  if (c.state.limits.find(word(body.scope()) + "/" + body.id()) == nullptr)
    return Refusal{"unknown-limit", word(body.scope()) + " " + clipped(body.id()) + " has no limit",
                   "berth limit ls"};
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_limit_removed()->set_scope(body.scope());
  e.mutable_limit_removed()->set_id(body.id());
  return events;
}

}  // namespace berth::controller
