#include "controller/cell/leader/producer_gate.h"

#include "events/codec/parse_body.h"
#include "events/codec/words/codes.h"

namespace berth::controller {
namespace {

// Who wrote it, as the envelope claims.
std::string_view claimed_writer(std::string_view payload) {
  const auto envelope = open_envelope(payload);
  return envelope ? envelope->writer : std::string_view();
}

std::optional<ProducerRefusal> check_writer(const projections::State& state, const Envelope& envelope,
                                            const v1::Request& request) {
  if (envelope.writer.starts_with("api:")) return std::nullopt;
  const auto name = producer_of(envelope.writer);
  if (!name) return ProducerRefusal::kUnregistered;
  const auto* producer = state.producers.find(std::string(*name));
  if (producer == nullptr) return ProducerRefusal::kUnregistered;
  if (envelope.generation != producer->def.generation()) return ProducerRefusal::kStaleKey;
  if (producer->def.disabled()) return ProducerRefusal::kDisabled;
  if (envelope.writer != request.actor() || request.has_collect_producer_key())
    return ProducerRefusal::kOtherActor;
  return std::nullopt;
}

}  // namespace

std::optional<ProducerRefusal> read_request(const projections::State& state, Verifier& verifier,
                                            std::string_view payload, v1::Request& request) {
  const bool is_large = payload.size() > kRecordBytesMax;
  if (is_large && !claimed_writer(payload).starts_with("api:")) return ProducerRefusal::kOversize;
  const auto envelope = verifier.open(Channel::kRequest, payload);
  if (!envelope)
    return envelope.error().code == "bad-signature" ? ProducerRefusal::kForged : ProducerRefusal::kMalformed;
  if (!parse_body(envelope, request)) return ProducerRefusal::kMalformed;
  if (const auto refused = check_writer(state, *envelope, request)) return refused;
  if (!producer_of(envelope->writer)) return std::nullopt;
  // It has checked nobody's sign-in, and holds no key to hash or seal a secret with (P29).
  request.clear_keyed_hash();
  request.clear_browser_session();
  return std::nullopt;
}

std::optional<ProducerRefusal> refusal_in(const EventList& answer) {
  if (answer.empty()) return std::nullopt;
  const v1::Event& first = answer[0];
  if (first.has_request_repeated()) return ProducerRefusal::kReplayed;
  if (first.has_request_expired()) return ProducerRefusal::kExpired;
  if (!first.has_request_refused()) return std::nullopt;
  const Code code = code_of(first.request_refused().code());
  if (code == "out-of-scope") return ProducerRefusal::kOutOfScope;
  if (code == "unknown-owner" || code == "owner-disabled" || code == "user-disabled")
    return ProducerRefusal::kOwner;
  return std::nullopt;
}

}  // namespace berth::controller
