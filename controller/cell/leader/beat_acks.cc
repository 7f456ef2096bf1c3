#include "controller/cell/leader/beat_acks.h"

#include "events/base/wire_time.h"
#include "events/codec/ack_mac.h"
#include "events/codec/parse_body.h"

namespace berth::controller {

using projections::AgentRow;
using projections::AgentState;
using projections::State;

bool BeatAcks::is_own(const std::string& payload) const {
  const auto envelope = open_envelope(payload, config_.cluster);
  v1::Acks acks;
  return envelope && envelope->writer.empty() && parse_body(envelope, acks) &&
         acks.election_nonce() == nonce_.view();
}

bool BeatAcks::read(const std::string& payload, const State& state, const Instant& now, LeaseBook& leases,
                    ClockGuard& clock, std::set<std::string>& snapshot_for) {
  const auto envelope = verifier_.open(Channel::kBeat, payload);
  v1::Beat beat;
  if (!parse_body(envelope, beat)) return is_own(payload);
  const AgentRow* agent = state.agents.find(beat.agent());
  if (agent == nullptr || envelope->writer != "agent:" + beat.agent() ||
      envelope->generation != agent->generation)
    return false;
  ++counters_.beats;
  clock.witness(now, from_wire_ms(beat.wall_ms()));
  const auto incarnation = Uuid::from_bytes(beat.incarnation());
  v1::Ack ack;
  ack.set_agent(beat.agent());
  ack.set_incarnation(beat.incarnation());
  ack.set_counter(beat.counter());
  ack.set_boottime_ns(beat.boottime_ns());
  ack.set_time_ns(clock.header_time(now));
  const bool known = incarnation && agent->state == AgentState::kAlive && agent->incarnation == *incarnation;
  if (!known) {
    ack.set_unknown(true);
  } else {
    if (!leases.beat(beat.agent(), *incarnation, beat.counter(), now.boottime)) return false;
    const bool same_machine = !config_.machine.is_nil() && agent->boot_id == config_.machine;
    clock.beat(now, beat.agent(), from_wire_ms(beat.wall_ms()), same_machine);
    ack.set_lease_ms(agent->lease_ms);
    const auto* cursor = state.order_cursors.find(beat.agent());
    if (cursor != nullptr) projections::to_proto(cursor->last, ack.mutable_last_order());
    if (cursor != nullptr && projections::from_proto(beat.last_order()) > cursor->last)
      snapshot_for.insert(beat.agent());
  }
  acks_.push_back(std::move(ack));
  return false;
}

void BeatAcks::send(const State& state, Outputs& out) {
  v1::Acks batch;
  batch.set_epoch(state.epoch().epoch);
  batch.set_election_nonce(std::string(nonce_.view()));
  for (auto& ack : acks_) {
    const AgentRow* agent = state.agents.find(ack.agent());
    if (agent == nullptr) continue;
    const auto mac =
        ack_mac(verifier_.key_of("agent:" + ack.agent(), agent->generation), config_.cluster, batch, ack);
    ack.set_mac(mac.data(), mac.size());
    batch.add_acks()->Swap(&ack);
  }
  acks_.clear();
  out.appends.push_back(
      {{Stream::kHealth, 0}, config_.name, make_envelope(config_.cluster, batch.SerializeAsString()), 0});
}

}  // namespace berth::controller
