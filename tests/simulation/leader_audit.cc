#include "tests/simulation/leader_audit.h"

#include <algorithm>

namespace berth::simulation {
namespace {

constexpr Duration kTolerance = 60 * kSecond;
constexpr Duration kLeaseAndMargin = 8 * kSecond;
constexpr Duration kAgain = 3 * kSecond;
constexpr Duration kStall = 2 * kSecond;  // a shorter one may pass unnoticed

}  // namespace

void LeaderAudit::begin_turn(Timestamp boottime, Timestamp true_wall, bool health_in_reach) {
  boottime_ = boottime;
  true_wall_ = true_wall;
  if (health_in_reach) {
    stalled_since_ = 0;
    return;
  }
  if (stalled_since_ == 0) stalled_since_ = boottime;
  if (boottime >= stalled_since_ + kStall) stalled_at_ = boottime;
}

void LeaderAudit::writes(const v1::Record& record) {
  if (record.header().sequence() == 0) {  // an election: its time is the last header's, and leases begin anew
    if (stalled_since_ != 0) stalled_since_ = boottime_;
    stalled_at_ = 0;
    return;
  }
  check_time(record.header());
  for (const auto& event : record.events()) {
    if (event.has_chain_head_recorded()) {
      const auto& routed = event.chain_head_recorded().routed();
      check_routed({routed.epoch(), routed.sequence(), routed.index()});
    }
    if (event.has_agent_lost() && stalled_at_ != 0 && boottime_ < stalled_at_ + kLeaseAndMargin - kSecond)
      failure_ = "agent " + event.agent_lost().agent() +
                 " is recorded lost although the leader itself could not read health";
  }
}

void LeaderAudit::check_time(const v1::RecordHeader& header) {
  if (began_.epoch != header.epoch()) began_ = {header.epoch(), header.time_ns(), true_wall_};
  const Duration counted = true_wall_ - began_.true_wall;
  // Twice, both times: an election may believe a clock that is ahead by the tolerance, and go ahead of it by
  // that once more. The first header may be far behind that clock, where the journal lost a night and no beat
  // has been read yet.
  if (header.time_ns() > true_wall_ + 2 * kTolerance &&
      header.time_ns() > began_.header + counted + 2 * kTolerance)
    failure_ = "header time ran " + std::to_string((header.time_ns() - began_.header - counted) / kSecond) +
               " s ahead within an epoch";
}

void LeaderAudit::read(const v1::Record& record, const std::vector<projections::OrderNote>& notes) {
  if (record.header().epoch() != due_epoch_) {
    due_epoch_ = record.header().epoch();
    due_.clear();
    newest_due_.clear();
  }
  for (const auto& note : notes) {
    const Place place{note.position.epoch, note.position.sequence, note.position.index};
    due_.insert({place, note.agent, note.snapshot});
    newest_due_[note.agent] = place;
  }
}

void LeaderAudit::acknowledged(const v1::Order& order) {
  const auto& p = order.position();
  const Place place{p.epoch(), p.sequence(), p.index()};
  orders_[order.agent()].insert(place);
  if (order.has_snapshot()) {
    Place& newest = snapshots_[order.agent()];
    newest = std::max(newest, place);
  }
}

bool LeaderAudit::was_ordered(const std::string& agent, const Place& place) const {
  const auto orders = orders_.find(agent);
  const auto snapshot = snapshots_.find(agent);
  return (orders != orders_.end() && orders->second.contains(place)) ||
         (snapshot != snapshots_.end() && snapshot->second >= place);
}

void LeaderAudit::end_turn(std::string_view nonce) {
  std::erase_if(failed_, [&](const auto& entry) { return entry.second.nonce != nonce; });
  for (auto& [payload, failed] : failed_) {
    if (++failed.turns <= 2)  // in one of them it hears of it
      failed.since = boottime_;
    else if (boottime_ > failed.since + kAgain)
      failure_ = "an order whose append failed is not sent again";
  }
}

void LeaderAudit::check_routed(const Place& routed) {
  for (const auto& [place, agent, snapshot] : due_) {
    if (place > routed) break;
    if (was_ordered(agent, place)) continue;
    // A snapshot leaves at the place of its agent's newest order, and is owed there.
    if (snapshot && newest_due_[agent] > routed) continue;
    failure_ = "a chain head says that every order was routed up to " + std::to_string(std::get<1>(routed)) +
               ", but the log has not acknowledged the one to " + agent + " at " +
               std::to_string(std::get<1>(place));
  }
}

void LeaderAudit::forget() {
  began_ = {};
  due_epoch_ = 0;
  due_.clear();
  newest_due_.clear();
  orders_.clear();
  snapshots_.clear();
  failed_.clear();
}

}  // namespace berth::simulation
