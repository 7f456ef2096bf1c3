#include "controller/decide/decide.h"
#include "controller/decide/keeping/check_sealed.h"
#include "events/codec/chain_head.h"

namespace berth::controller {

// Made by an API server, which opens the old seed; here it is checked that it follows the key of now.
Decision decide(const DecisionContext& c, const v1::RotateHeadKey& body) {
  const projections::HeadRow* head = c.state.heads.find("head");
  if (head == nullptr)
    return Refusal{"no-head-key", "the log has no key that signs chain heads yet",
                   "its leader makes one some seconds after it starts"};
  if (body.public_key().size() != kHeadKeyBytes || !has_seal_shape(body.secret_key()))
    return Refusal{"malformed-head-key", "the new key is no Ed25519 key with a sealed seed", {}};
  if (auto refusal = check_sealed(c, body.secret_key())) return *refusal;
  if (body.previous_key() != head->public_key)
    return Refusal{"head-key-changed", "another key became the one that signs chain heads meanwhile",
                   "look at `berth audit head`, and ask again"};
  if (!is_signed_by(head->public_key, body.signature(),
                    head_key_bytes(head->cluster, body.previous_key(), body.public_key())))
    return Refusal{"malformed-head-key", "the key of now has not signed the new one", {}};
  EventList events;
  auto* changed = events.add(c.stamp).mutable_head_key_changed();
  changed->set_public_key(body.public_key());
  *changed->mutable_secret_key() = body.secret_key();
  changed->set_previous_key(body.previous_key());
  changed->set_signature(body.signature());
  return events;
}

}  // namespace berth::controller
