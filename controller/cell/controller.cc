#include "controller/cell/controller.h"

#include "events/codec/ack_mac.h"

namespace berth::controller {

using projections::AgentRow;
using projections::AgentState;
using projections::Projection;

Controller::Controller(ControllerConfig config, std::unique_ptr<Projection> projection, RandomSource& random,
                       InHistory in_history)
    : config_(std::move(config)),
      projection_(std::move(projection)),
      random_(random),
      in_history_(std::move(in_history)),
      verifier_(config_.cluster, config_.secret),
      router_(config_.cluster, config_.secret, config_.layout) {}

void Controller::step(Input input, const Instant& now, Outputs& out) {
  std::visit([&](auto& one) { on(std::move(one), now, out); }, input);
}

// Inputs are taken in offset order. One that skips ahead says that what lay between is gone (retention): the
// journal records that (P13). One that is behind was read twice.
void Controller::on(InputRead input, const Instant&, Outputs&) {
  if (mode_ != Mode::kLeader) return;
  const auto it = expected_.find(input.entry.partition);
  if (it == expected_.end() || input.entry.offset < it->second) return;
  if (input.entry.offset > it->second)
    queue_.push_back({{input.entry.partition, input.entry.offset, {}}, true});
  it->second = input.entry.offset + 1;
  queue_.push_back({std::move(input.entry), false});
}

void Controller::on(HealthRead input, const Instant& now, Outputs&) {
  if (mode_ != Mode::kLeader) return;
  const auto envelope = verifier_.open(Channel::kBeat, input.payload);
  if (!envelope) return;  // acks travel on the same stream
  v1::Beat beat;
  if (!beat.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size()))) return;
  const AgentRow* agent = projection_->state().agents.find(beat.agent());
  if (agent == nullptr || envelope->writer != "agent:" + beat.agent() ||
      envelope->generation != agent->generation)
    return;
  ++counters_.beats;
  clock_.witness(now, beat.wall_ms() * kMillisecond);
  const auto incarnation = Uuid::from_bytes(beat.incarnation());
  v1::Ack ack;
  ack.set_agent(beat.agent());
  ack.set_incarnation(beat.incarnation());
  ack.set_counter(beat.counter());
  ack.set_boottime_ns(beat.boottime_ns());
  const bool known = incarnation && agent->state == AgentState::kAlive && agent->incarnation == *incarnation;
  if (!known) {
    ack.set_unknown(true);
  } else {
    if (!leases_.beat(beat.agent(), *incarnation, beat.counter(), now.boottime)) return;
    const auto* cursor = projection_->state().order_cursors.find(beat.agent());
    if (cursor != nullptr) projections::to_proto(cursor->last, ack.mutable_last_order());
    // It obeyed an order that the journal does not know of: a truncated tail. A snapshot tells it what it
    // should have now.
    if (cursor != nullptr && projections::from_proto(beat.last_order()) > cursor->last)
      snapshot_for_.insert(beat.agent());
  }
  acks_.push_back(std::move(ack));
}

void Controller::send_acks(Outputs& out) {
  if (acks_.empty()) return;
  v1::Acks batch;
  batch.set_epoch(projection_->state().epoch().epoch);
  batch.set_election_nonce(std::string(nonce_.view()));
  for (auto& ack : acks_) {
    const AgentRow* agent = projection_->state().agents.find(ack.agent());
    if (agent == nullptr) continue;
    const auto mac =
        ack_mac(verifier_.key_of("agent:" + ack.agent(), agent->generation), config_.cluster, batch, ack);
    ack.set_mac(mac.data(), mac.size());
    batch.add_acks()->Swap(&ack);
  }
  acks_.clear();
  out.appends.push_back(
      {{Stream::kHealth, 0}, config_.name, seal(config_.cluster, batch.SerializeAsString()), 0});
}

void Controller::on(Appended input, const Instant&, Outputs& out) {
  if (input.ticket == candidacy_ticket_) {
    candidacy_ticket_ = 0;
    if (input.result.state != AppendState::kDurable && mode_ == Mode::kCandidate) {
      mode_ = Mode::kStandby;  // it may still come: its nonce is remembered until it is read or another is
      out.log.push_back(
          {LogLine::Level::kWarning, "the election's append failed: " + to_string(input.result.error)});
    }
    return;
  }
  if (const auto it = sent_orders_.find(input.ticket); it != sent_orders_.end()) {
    if (input.result.state != AppendState::kDurable) {
      out.appends.push_back(it->second.append);  // the router never gives up a produce (P22)
      return;
    }
    it->second.acknowledged = true;
    while (!sent_orders_.empty() && sent_orders_.begin()->second.acknowledged) {
      routed_ = std::max(routed_, sent_orders_.begin()->second.position);
      sent_orders_.erase(sent_orders_.begin());
    }
    return;
  }
  if (mode_ != Mode::kLeader) return;
  const bool durable = input.result.state == AppendState::kDurable;
  // Durable before the place up to which the journal was read: the log has lost its tail since (P12).
  if (durable && input.result.offset >= projection_->chain().next()) return;
  for (const auto& record : in_flight_)
    if (record.ticket == input.ticket)
      return step_down(durable ? "the journal has lost records that were read"
                               : "an append to the journal failed: " + to_string(input.result.error),
                       out);
}

void Controller::on(InputChecked input, const Instant&, Outputs& out) {
  if (mode_ != Mode::kLeader) return;
  if (unchecked_.erase(input.partition) ==
      0) {  // a glance: what is to be read again is found out by the next election's checks
    if (!input.same) step_down(to_string(input.partition) + " is not what was read before", out);
    return;
  }
  if (!input.same || input.begin > expected_[input.partition]) {
    // The input stream was truncated or replaced: it is read again from its beginning; keys and P22 make that
    // harmless (P13).
    expected_[input.partition] = input.begin;
    queue_.push_back({{input.partition, input.begin, {}}, true});
    out.log.push_back({LogLine::Level::kWarning,
                       to_string(input.partition) + " is not what was read before; reading it again"});
  }
  out.seek_inputs.push_back({input.partition, expected_[input.partition]});
}

void Controller::on(InputsLost, const Instant&, Outputs& out) {
  if (deciding()) step_down("an input stream has lost its end", out);
}

void Controller::on(ChainPointRead input, const Instant&, Outputs&) {
  if (mode_ == Mode::kLeader) chain_point_ = std::move(input.point);
}

// What was asked for before its time as a leader is another's.
void Controller::on(SelectionFound input, const Instant&, Outputs&) {
  if (mode_ == Mode::kLeader && learning_.contains(input.learned.group())) found_.push_back(std::move(input));
}

void Controller::on(Tick, const Instant& now, Outputs& out) {
  if (leader_heard_ == 0) leader_heard_ = now.boottime;
  if (mode_ == Mode::kLeader)
    keep_leading(now, out);
  else if (!reloading_)
    watch_leader(now, out);
  ticked_ = now.boottime;
}

}  // namespace berth::controller
