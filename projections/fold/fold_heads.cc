// Keys of chain heads, and heads that are signed: each signature continues the key that the log named before.
#include "events/codec/chain_head.h"
#include "projections/fold/event_context.h"
#include "projections/fold/net.h"

namespace berth::projections {
namespace {

Forbidden check_succession(const EventContext& c, const HeadRow* known, const v1::HeadKeyChanged& e) {
  if (known == nullptr)
    return e.previous_key().empty() && e.signature().empty() ? "" : "the first head key follows none";
  if (e.previous_key() != known->public_key) return "a head key that follows another one than the newest";
  if (!is_signed_by(known->public_key, e.signature(),
                    head_key_bytes(c.cluster, e.previous_key(), e.public_key())))
    return "a head key that the one before has not signed";
  return {};
}

}  // namespace

Forbidden apply(EventContext& c, const v1::HeadKeyChanged& e) {
  if (e.public_key().size() != kHeadKeyBytes) return "a head key of another length";
  if (auto reason = net::check_sealed(c.state, e.secret_key()); !reason.empty()) return reason;
  const HeadRow* known = c.state.heads.find("head");
  if (Forbidden why = check_succession(c, known, e); !why.empty()) return why;
  HeadRow row = known != nullptr ? *known : HeadRow{};
  row.cluster = c.cluster;
  row.public_key = e.public_key();
  row.secret_key = e.secret_key();
  row.changed = c.position;
  c.state.heads.put(std::move(row));
  if (!c.event.request_id().empty()) note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden take_signed_head(EventContext& c, const v1::ChainHeadRecorded& e) {
  if (e.signature().empty() && e.head_key().empty()) return {};
  const HeadRow* known = c.state.heads.find("head");
  if (known == nullptr || e.head_key() != known->public_key)
    return "a chain head under another key than the log's";
  if (e.from() != known->offset || e.claim().offset() <= e.from())
    return "a chain head that does not continue the one before";
  if (e.claim().rolling().size() != sizeof(Hash256) || e.state_hash().size() != sizeof(Hash128))
    return "a chain head without its hashes";
  if (!is_signed_by(e.head_key(), e.signature(), chain_head_bytes(c.cluster, e)))
    return "a chain head whose signature is wrong";
  HeadRow row = *known;
  row.head_key = e.head_key();
  row.from = e.from();
  row.offset = e.claim().offset();
  row.applied = e.applied();
  row.rolling = e.claim().rolling();
  row.state_hash = e.state_hash();
  row.voids = e.voids();
  row.signature = e.signature();
  row.recorded = c.position;
  row.recorded_at = c.time;
  c.state.heads.put(std::move(row));
  return {};
}

}  // namespace berth::projections
