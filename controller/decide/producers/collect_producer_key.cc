#include "controller/decide/decide.h"
#include "controller/decide/producers/check_producer.h"
#include "projections/producer_scope.h"

namespace berth::controller {

Decision decide(const DecisionContext& c, const v1::CollectProducerKey& body) {
  const auto* producer = c.state.producers.find(body.name());
  if (producer == nullptr) return unknown_producer(body.name());
  const v1::ProducerDefined& def = producer->def;
  if (def.token_hash().empty() || body.token_hash() != def.token_hash() || c.now > def.token_expires_ns())
    return Refusal{"token-not-valid",
                   "the token is not producer " + body.name() + "'s, was used, or is too old",
                   "berth producer rotate " + body.name() + " makes a new one"};
  EventList events;
  auto* collected = events.add(c.stamp).mutable_producer_key_collected();
  collected->set_name(def.name());
  collected->set_generation(def.generation());
  return events;
}

}  // namespace berth::controller
