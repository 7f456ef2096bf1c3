#include "agents/core/agent.h"

#include <algorithm>

#include "events/base/slots/slot_name.h"

namespace berth::agents {
namespace {

constexpr std::size_t kFactsPerReportMax = 256;  // a report is one input of the leader: bounded work
constexpr std::size_t kJoinBytesMax =
    512u << 10;  // of the kernels listed in a join; ended ones beyond it follow as facts
constexpr std::size_t kBeatsInFlightMax = 64;

v1::AgentJoined with_old_capacity(v1::AgentJoined configured, const std::vector<v1::Device>& before) {
  for (auto& device : *configured.mutable_devices())
    for (const auto& old : before) {
      if (old.id() != device.id()) continue;
      for (auto& slot : *device.mutable_slots())
        for (const auto& old_slot : old.slots())
          if (old_slot.slot() == slot.slot()) slot.set_amount(std::max(slot.amount(), old_slot.amount()));
    }
  return configured;
}

void set_disk(v1::AgentJoined& joined, Amount disk) {
  auto& slots = *joined.mutable_slots();
  for (int i = slots.size(); i-- > 0;)
    if (slots[i].slot() == kDiskSlot) slots.DeleteSubrange(i, 1);
  if (disk <= 0) return;
  auto& slot = *joined.add_slots();
  slot.set_slot(std::string(kDiskSlot));
  slot.set_amount(disk);
}

}  // namespace

Agent::Agent(AgentProfile profile, AgentTimes times, const std::vector<RecoveredKernel>& recovered)
    : profile_(std::move(profile)),
      times_(times),
      announced_(with_old_capacity(profile_.announced, profile_.announced_before)),
      gate_(times.order_late),
      lease_(times.ack_patience, times.lease),
      fitness_(times.fitness, profile_.tries),
      kernels_(times.retell_first, times.retell_max),
      join_again_pause_(times.join_again_first) {
  allocation_.set_capacity(announced_);
  for (const auto& event : recovered) {
    if (kernels_.find(event.key) != nullptr) continue;
    KernelRecord& record = kernels_.add(event.key, KernelPhase::kGiven);
    take_event(record, event);
    if (event.holding && !record.ended()) count(record, *event.holding);
  }
}

void Agent::step(const AgentInput& input, Instant now, AgentOutputs& out) {
  if (!leaving_ && lease_.unheard(now.boottime)) join_anew("no controller answers", out);
  std::visit([&](const auto& what) { on(what, now, out); }, input);
  if (leaving_) finish_leaving(now, out);
  const bool may_join = joined_at_ == 0 || now.boottime >= joined_at_ + times_.join_pause;
  out.join_wanted |= incarnation_.is_nil() && !left_ && !leaving_ && may_join && fitness_.known();
}

void Agent::flush(Instant now, AgentOutputs& out) {
  if (incarnation_.is_nil()) return;
  while (kernels_.changed() || folders_.has_facts()) {
    v1::Report facts = report(now);
    if (kernels_.changed()) kernels_.take_changes(kFactsPerReportMax, now.boottime, facts);
    folders_.take_facts(kFactsPerReportMax, facts);
    out.reports.push_back(std::move(facts));
  }
}

v1::Report Agent::report(Instant now) const {
  v1::Report report;
  report.set_agent(announced_.agent());
  report.set_incarnation(std::string(incarnation_.view()));
  report.set_sent_ms((heard_time_.heard() ? now.boottime + heard_time_.ahead() : now.wall) / kMillisecond);
  return report;
}

void Agent::join_anew(const char* why, AgentOutputs& out) {
  if (leaving_) return;  // its last ends still count, of whatever incarnation (P22)
  if (!incarnation_.is_nil()) out.log.push_back({LogLevel::kWarning, std::string(why) + ": joining anew"});
  incarnation_ = {};
  gate_.close();
  lease_.restart();
}

void Agent::on(const JoinIds& ids, Instant now, AgentOutputs& out) {
  if (left_ || leaving_) return;
  incarnation_ = ids.incarnation;
  gate_.joined(ids.nonce, now.boottime);
  lease_.restart();
  beat_positions_.clear();
  joined_at_ = now.boottime;
  join_again_at_ = now.boottime + join_again_pause_;
  join_again_pause_ = std::min(join_again_pause_ * 2, times_.join_again_max);
  for (v1::AgentJoined* told : {&announced_, &profile_.announced}) told->set_unfit(fitness_.unfit());
  v1::Report report = this->report(now);
  v1::Join& join = *report.mutable_join();
  join.set_nonce(std::string(ids.nonce.view()));
  *join.mutable_agent() = announced_;
  join.mutable_agent()->set_lease_ms(lease_to_ask(now.boottime));
  tell_kernels(join, now);
  out.reports.push_back(std::move(report));
  beat(now, out);
}

// Milliseconds; 0: the shortest, which needs no asking.
std::int64_t Agent::lease_to_ask(Timestamp boottime) const {
  const Duration lease = std::max(times_.lease, profile_.leased_until - boottime);
  return lease <= kLease ? 0 : (lease + kMillisecond - 1) / kMillisecond;
}

void Agent::tell_kernels(v1::Join& join, Instant now) {
  kernels_.clear_changes();
  std::size_t bytes = 0;
  for (const bool ended : {false, true})
    for (const KernelKey& key : kernels_.keys()) {
      KernelRecord& record = *kernels_.find(key);
      if (record.ended() != ended) continue;
      bytes += record.fact.ByteSizeLong() + 4;
      if (ended && bytes > kJoinBytesMax) {
        kernels_.mark(record);
        continue;
      }
      *join.add_kernels() = record.fact;
      kernels_.told(record, now.boottime);
    }
}

void Agent::beat(Instant now, AgentOutputs& out) {
  v1::Beat beat;
  beat.set_agent(announced_.agent());
  beat.set_incarnation(std::string(incarnation_.view()));
  beat.set_counter(lease_.sent(now.boottime));
  beat.set_boottime_ns(now.boottime);
  beat.set_wall_ms(now.wall / kMillisecond);
  *beat.mutable_last_order() = to_wire(gate_.last());
  beat_positions_[beat.counter()] = gate_.last();
  if (beat_positions_.size() > kBeatsInFlightMax) beat_positions_.erase(beat_positions_.begin());
  out.beats.push_back(std::move(beat));
  beat_at_ = now.boottime + times_.beat_every;
}

void Agent::on(const AckArrived& arrived, Instant now, AgentOutputs& out) {
  const v1::Ack& ack = arrived.ack;
  const auto verdict = gate_.hear(arrived.epoch, arrived.election_nonce);
  if (verdict == OrderGate::Verdict::kJoinAnew) return join_anew("the election it knew is void", out);
  if (verdict != OrderGate::Verdict::kObey || incarnation_.is_nil() ||
      ack.incarnation() != incarnation_.view())
    return;
  if (ack.time_ns() != 0) heard_time_.hear(ack.time_ns(), now.boottime);
  if (ack.unknown()) {
    if (now.boottime >= joined_at_ + times_.unknown_patience)
      join_anew("the cluster does not know this agent", out);
    return;
  }
  const auto said = beat_positions_.find(ack.counter());
  const OrderPosition newest = position_of(ack.last_order());
  // A leader of a later election lacks an order that this agent had obeyed before its beat: the journal lost
  // its end.
  const bool vanished = said != beat_positions_.end() && ack.has_last_order() && gate_.open() &&
                        newest < said->second && said->second == gate_.last() &&
                        arrived.epoch > gate_.epoch_of_last();
  beat_positions_.erase(beat_positions_.begin(), beat_positions_.upper_bound(ack.counter()));
  if (vanished) return join_anew("the journal no longer has an order that was obeyed", out);
  gate_.expect(newest, now.boottime);
  if (!lease_.acked(ack.counter(), lease_of(ack.lease_ms()), now.boottime) || !gate_.open()) return;
  out.commands.push_back(RenewLeases{*lease_.until()});
  give_deferred(now, out);
}

void Agent::on(const OrdersRewound&, Instant now, AgentOutputs& out) {
  out.log.push_back({LogLevel::kWarning, "orders may have been lost: asking for a snapshot"});
  gate_.want_snapshot(now.boottime);
}

// Kernels keep what they have, also where that is more than there is now (P8); nothing is added to it.
void Agent::on(const DiskMeasured& measured, Instant, AgentOutputs& out) {
  set_disk(profile_.announced, measured.disk);
  set_disk(announced_, measured.disk);
  allocation_.set_capacity(announced_);
  join_anew("the disk that it offers has changed", out);
}

void Agent::on(const TrialDone& done, Instant now, AgentOutputs& out) {
  const bool was_unfit = !fitness_.unfit().empty();
  const bool changed =
      fitness_.tried(done.took.ok() ? Result<void>() : Result<void>(done.took.error()), now.boottime);
  if (fitness_.unfit().empty())
    give_deferred(now, out);
  else
    refuse_deferred(now);
  if (!changed) return;
  if (!fitness_.unfit().empty())
    out.log.push_back({LogLevel::kError, "unfit, so that it takes no sessions: no kernel can start here: " +
                                             fitness_.unfit() + "; tried again by itself"});
  else if (was_unfit || incarnation_.is_nil())
    out.log.push_back({LogLevel::kInfo, "fit: a kernel of its own ran after " +
                                            std::to_string(*done.took / kMillisecond) + " ms"});
  if (!incarnation_.is_nil()) join_anew(fitness_.unfit().empty() ? "it is fit" : "it is unfit", out);
}

void Agent::on(const Tick&, Instant now, AgentOutputs& out) {
  kernels_.mark_due(now.boottime);
  if (!leaving_ && fitness_.takes_trial(now.boottime)) out.commands.push_back(TrialCommand{});
  if (incarnation_.is_nil() || left_) return;
  if (now.boottime >= beat_at_) beat(now, out);
  if (gate_.open()) {
    join_again_pause_ = times_.join_again_first;
  } else if (now.boottime >= join_again_at_) {
    return join_anew("no snapshot answers the join", out);
  }
  if (!gate_.take_wish(now.boottime)) return;
  v1::Report wish = report(now);
  wish.set_snapshot_wanted(true);
  out.reports.push_back(std::move(wish));
}

void Agent::on(const Leave& leave, Instant now, AgentOutputs& out) {
  leaving_ = true;
  keep_kernels_ = leave.keep_kernels;
  if (keep_kernels_) return;
  for (const KernelKey& key : kernels_.keys()) {
    KernelRecord& record = *kernels_.find(key);
    if (record.ended()) continue;
    record.stopped_to_leave = !record.stopping;
    stop(record, times_.grace, now, out);
  }
}

void Agent::finish_leaving(Instant now, AgentOutputs& out) {
  if (left_ || (!keep_kernels_ && kernels_.live() > 0)) return;
  flush(now, out);
  left_ = true;
  if (incarnation_.is_nil()) return;
  v1::Report leaving = report(now);
  leaving.set_leaving(true);
  out.reports.push_back(std::move(leaving));
}

}  // namespace berth::agents
