// Producers: what they may ask, and the generations of their keys.
#include "projections/fold/event_context.h"
#include "projections/fold/net.h"

namespace berth::projections {
Forbidden apply(EventContext& c, const v1::ProducerDefined& e) {
  if (auto reason = net::check_producer(e); !reason.empty()) return reason;
  if (c.state.is_retired(v1::DEFINITION_KIND_PRODUCER, e.name())) return net::kRetired;
  const ProducerRow* known = c.state.producers.find(e.name());
  if (known != nullptr && e.generation() < known->def.generation()) return "a key generation never falls";
  c.state.producers.put({e});
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden apply(EventContext& c, const v1::ProducerKeyCollected& e) {
  const ProducerRow* known = c.state.producers.find(e.name());
  if (known == nullptr) return "there is no such producer";
  if (e.generation() != known->def.generation()) return "a key of another generation";
  if (known->def.token_hash().empty()) return "the producer has no open token";
  ProducerRow row = *known;
  row.def.clear_token_hash();
  row.def.clear_token_expires_ns();
  c.state.producers.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

}  // namespace berth::projections
