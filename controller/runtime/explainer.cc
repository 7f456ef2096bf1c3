#include "controller/runtime/explainer.h"

#include "controller/runtime/why.h"
#include "controller/scheduler/explain_text.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::GroupRow;
using projections::KernelRow;
using projections::SessionRow;
using projections::SlotTypeRow;
using projections::State;

// What the core decides before the scheduler is asked: recorded, not recomputed here.
scheduler::Reason recorded_hold(const SessionRow* row) {
  if (row == nullptr) return {};
  for (const auto code : {scheduler::Code::kStartTime, scheduler::Code::kDependency, scheduler::Code::kLimit})
    if (row->reason_code == scheduler::to_string(code)) return {code, scheduler::kNoSlot};
  return {};
}

std::vector<std::vector<SessionId>> visible(const scheduler::SessionSets& found, const State& state, const SeesSession& sees) {
  std::vector<std::vector<SessionId>> sets;
  for (const auto& set : found.sets) {
    bool all = true;
    for (const SessionId& id : set) all = all && sees(*state.sessions.find(id));
    if (all) sets.push_back(set);
  }
  return sets;
}

}  // namespace

Explanation Explainer::explain(const State& state, Timestamp now, const SessionId& session, const SeesSession& sees) {
  const std::lock_guard lock(mutex_);
  if (!built_) mirror_.rebuild(state, now);
  built_ = true;
  mirror_.refresh(state, now);
  Explanation out = explain_waiting(state, session, sees);
  std::erase_if(out.holders, [&](const Holder& holder) { return !sees(*state.sessions.find(holder.session)); });
  scheduler::Cluster& cluster = mirror_.cluster();
  if (!cluster.is_pending(session) || cluster.is_reserved(session)) return out;
  cluster.set_hold(session, recorded_hold(state.sessions.find(session)));
  out.queue_position = static_cast<std::uint32_t>(scheduler::why(cluster, session, false).position);
  add_unblock(state, session, sees, out);
  return out;
}

void Explainer::add_unblock(const State& state, const SessionId& session, const SeesSession& sees, Explanation& out) {
  scheduler::UnblockOptions options;
  options.may_start = [&state](const SessionId& id) {
    return recorded_hold(state.sessions.find(id)).code == scheduler::Code::kNone;
  };
  const scheduler::Unblock found = scheduler::unblock(mirror_.cluster(), session, options);
  const auto name = [&](const SessionId& id) {
    const SessionRow* row = state.sessions.find(id);
    return row != nullptr && sees(*row) ? row->name : std::string();
  };
  out.unblock.lines = scheduler::unblock_lines(mirror_.cluster(), found, name);
  out.unblock.ends = visible(found.ends, state, sees);
  out.unblock.leaves = visible(found.leaves, state, sees);
  out.unblock.complete = found.ends.complete && found.leaves.complete && found.less_complete;
}

void Explainer::on_session(const SessionRow* before, const SessionRow* after) {
  if (!built_) return;
  mirror_.on_session(before, after);
  (void)mirror_.take_failed_dependencies();  // the leader's business
}

void Explainer::on_kernel(const KernelRow* before, const KernelRow* after) {
  if (built_) mirror_.on_kernel(before, after);
}

void Explainer::on_agent(const AgentRow* before, const AgentRow* after) {
  if (built_) mirror_.on_agent(before, after);
}

void Explainer::on_group(const GroupRow* before, const GroupRow* after) {
  if (built_) mirror_.on_group(before, after);
}

void Explainer::on_slot_type(const SlotTypeRow* before, const SlotTypeRow* after) {
  if (built_) mirror_.on_slot_type(before, after);
}

void Explainer::on_day_usage(const projections::DayUsageRow* before, const projections::DayUsageRow* after) {
  if (built_) mirror_.on_day_usage(before, after);
}

void Explainer::on_mix(const projections::MixRow* before, const projections::MixRow* after) {
  if (built_) mirror_.on_mix(before, after);
}

void Explainer::on_learned(const projections::LearnedRow* before, const projections::LearnedRow* after) {
  if (built_) mirror_.on_learned(before, after);
}

void Explainer::on_limit(const projections::LimitRow* before, const projections::LimitRow* after) {
  if (built_) mirror_.on_limit(before, after);
}

}  // namespace berth::controller
