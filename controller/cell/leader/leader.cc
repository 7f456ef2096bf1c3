#include "controller/cell/leader/leader.h"

namespace berth::controller {

using projections::Projection;

namespace {

constexpr Offset kGlanceRecords = projections::kChainWindow / 4;

}  // namespace

Leader::Leader(const ControllerConfig& config, Projection& projection, Verifier& verifier,
               const InHistory& in_history, Tickets& tickets, ControllerCounters& counters, const Uuid& nonce,
               const Instant& now, Timestamp heard, Outputs& out)
    : config_(config),
      projection_(projection),
      verifier_(verifier),
      nonce_(nonce),
      todo_(projection.state()),
      router_(config, verifier, nonce),
      outbox_(tickets, counters, projection.state().epoch().routed),
      pipeline_(config, projection, router_, outbox_, snapshot_for_, tickets, counters),
      decider_(projection.state(), in_history, feed_, clock_, pipeline_),
      input_rounds_(config, projection.state(), verifier, counters, clock_, decider_, snapshot_for_),
      rounds_(config, projection, counters, feed_, todo_, clock_, leases_, decider_, outbox_),
      acks_(config, verifier, counters, nonce) {
  const auto& state = projection_.state();
  const auto& epoch = state.epoch();
  out.journal_end_wanted = true;  // the log may have lost its tail before the election landed (ADR 0053)
  clock_.elected(
      now, {epoch.time, heard, epoch.clock_jumped, epoch.clock_behind != projections::ClockBehind::kNot});
  feed_.set_custom_policies(config_.policies);
  feed_.rebuild(state, clock_.header_time(now));
  projection_.set_listener(&rows_);
  for (const auto& name : state.agents.sorted_keys())
    if (const auto* agent = state.agents.find(name); agent->state == projections::AgentState::kAlive)
      leases_.start(*agent, now.boottime);
  own_reads_alive_ = ticked_ = glanced_ = now.boottime;
  glanced_to_ = projection_.chain().next();
  rounds_.begin(now);
  out.check_inputs = checks_of_inputs(state, config_.layout);
  inputs_.wait_for(out.check_inputs);
  // Agents that the election's own record noted get their snapshots from this router.
  for (const auto& note : projection_.notes()) snapshot_for_.insert(note.agent);
  out.log.push_back({LogLine::Level::kInfo, "leading epoch " + std::to_string(epoch.epoch)});
  send_heartbeat(now, false, out);
}

Leader::~Leader() { projection_.set_listener(nullptr); }

void Leader::read_beat(const std::string& payload, const Instant& now) {
  if (acks_.read(payload, projection_.state(), now, leases_, clock_, snapshot_for_))
    own_reads_alive_ = now.boottime;
}

Leadership Leader::read_back(const JournalRead& read, Outputs& out) {
  const Hash256 link = blake2b_256(read.payload);
  RecordPipeline::Orders orders;
  switch (pipeline_.read_back(link, orders)) {
    case RecordPipeline::ReadBack::kNext:
      if (!read.applied) return Lost{"a record of ours is void"};
      for (auto& [position, order] : orders) outbox_.send(position, std::move(order), out);
      break;
    case RecordPipeline::ReadBack::kAfterLost:
      return Lost{"a record of ours was lost: what was built on it is void"};
    case RecordPipeline::ReadBack::kForeign:
      if (read.applied) return Lost{"a record of another controller counts"};
      break;
    case RecordPipeline::ReadBack::kAgain: break;
  }
  projection_.confirm(link, read.applied);
  return Leading{};
}

Leadership Leader::appended(const Appended& fate, const Instant& now, Outputs& out) {
  if (outbox_.appended(fate, now, out)) return Leading{};
  const bool durable = fate.result.state == AppendState::kDurable;
  if (durable && fate.result.offset >= projection_.chain().next()) return Leading{};
  if (!pipeline_.in_flight(fate.ticket)) return Leading{};
  // Durable before the place up to which the journal was read: the log has lost its tail since (P12).
  if (durable) return Lost{"the journal has lost records that were read"};
  return Lost{"an append to the journal failed: " + to_string(fate.result.error)};
}

Leadership Leader::input_checked(const InputChecked& answer, Outputs& out) {
  const std::string partition = to_string(answer.partition);
  switch (inputs_.checked(answer)) {
    case InputQueue::Checked::kGlanceSame: return Leading{};
    case InputQueue::Checked::kGlanceDiffers: return Lost{partition + " is not what was read before"};
    case InputQueue::Checked::kReadAgain:
      out.log.push_back(
          {LogLine::Level::kWarning, partition + " is not what was read before; reading it again"});
      break;
    case InputQueue::Checked::kSame: break;
  }
  out.seek_inputs.push_back({answer.partition, inputs_.expected(answer.partition)});
  return Leading{};
}

Leadership Leader::tick(const Instant& now, Outputs& out) {
  // The own reads or the own flush stalled: no agent is to blame for the silence (P24).
  const bool stalled =
      now.boottime > ticked_ + kSecond || now.boottime > own_reads_alive_ + kSecond + kSecond / 2;
  ticked_ = now.boottime;
  if (stalled) leases_.excuse(now.boottime);
  if (const auto since = pipeline_.waiting_since(); since && now.boottime > *since + config_.read_back)
    return Lost{"a record was not read back in time"};
  rounds_.tick(now);
  outbox_.retry(now, out);
  glance(now, out);
  if (now.boottime >= heartbeat_sent_ + config_.heartbeat) beat(now, out);
  return Leading{};
}

Leadership Leader::flush(const Instant& now, Outputs& out) {
  leases_.set_now(now.boottime);
  if (deciding()) {
    rounds_.decide_clock(now);
    input_rounds_.run(inputs_, now, out);
    decider_.close_if_past(now, out);
    rounds_.run(now, out);
    pipeline_.close(now, out);
    if (pipeline_.is_broken())
      return Lost{"a decision of ours is forbidden, which is a bug: " + pipeline_.broken()};
  }
  if (!compared_) return Leading{};
  send_snapshots(out);
  if (!acks_.empty()) acks_.send(projection_.state(), out);
  out.full = pipeline_.is_full();
  out.more = out.more || (deciding() && !out.full && !inputs_.empty());
  return Leading{};
}

// A reader cannot notice that a stream lost its end and grew again, so what was read last is compared now and
// then; of the journal before it leaves the window in which it can be compared. The embedded log loses no
// end.
void Leader::glance(const Instant& now, Outputs& out) {
  if (!deciding() || config_.stand_at_once) return;
  const Offset next = projection_.chain().next();
  const bool due = now.boottime >= glanced_ + config_.glance_every;
  if (!due && next < glanced_to_ + kGlanceRecords) return;
  out.glance_at_journal = true;
  glanced_to_ = next;
  if (!due) return;
  glanced_ = now.boottime;
  out.glances = checks_of_inputs(projection_.state(), config_.layout);
}

// A snapshot leaves only after the records that it describes are durable.
void Leader::send_snapshots(Outputs& out) {
  for (const auto& agent : snapshot_for_) {
    for (auto& [position, order] : router_.snapshot(projection_.state(), agent)) {
      outbox_.owe(position);
      if (!pipeline_.hold_back(position, order)) outbox_.send(position, std::move(order), out);
    }
  }
  snapshot_for_.clear();
}

// No progress: let another controller stand (P20).
void Leader::beat(const Instant& now, Outputs& out) {
  if (const auto since = pipeline_.waiting_since(); since && now.boottime > *since + config_.progress) return;
  send_heartbeat(now, false, out);
  if (compared_) acks_.send(projection_.state(), out);  // so that its reads of beats are watched
}

void Leader::send_heartbeat(const Instant& now, bool leaves, Outputs& out) {
  heartbeat_sent_ = now.boottime;
  v1::Heartbeat beat;
  beat.set_controller(config_.name);
  beat.set_epoch(projection_.state().epoch().epoch);
  beat.set_nonce(std::string(nonce_.view()));
  beat.set_time_ns(clock_.header_time(now));
  beat.set_leaves(leaves);
  const Signer signer(config_.cluster, kControllerWriter, 1, verifier_.key_of(kControllerWriter, 1));
  out.appends.push_back(
      {{Stream::kControl, 0}, config_.name, signer.sign(Channel::kControl, beat.SerializeAsString()), 0});
}

}  // namespace berth::controller
