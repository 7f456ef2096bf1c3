#include "tests/support/random_cluster.h"

namespace berth::testing {

using projections::SessionRow;
using projections::SessionStatus;
using projections::State;

namespace {

const SessionRow* any_session(const State& state, Rng& rng) {
  const auto keys = state.sessions.sorted_keys();
  return keys.empty() ? nullptr : state.sessions.find(keys[rng.below(keys.size())]);
}

std::string name_of_kernel(const SessionRow& row, std::uint32_t index) {
  return kernel_name(row.name, "main", index, row.attempt);
}

// The same places, held.
v1::Event held(const v1::Event& scheduled) {
  v1::Event e;
  e.mutable_session_reserved()->set_session_id(scheduled.session_scheduled().session_id());
  *e.mutable_session_reserved()->mutable_placements() = scheduled.session_scheduled().placements();
  return e;
}

v1::Event placement_where_held(const SessionRow& row) {
  std::vector<Placed> placed;
  for (const auto& place : row.places) {
    Placed one{place.agent, {}, "main", place.index};
    for (const auto& share : place.devices) one.shares.emplace_back(share.device, share.amount);
    placed.push_back(one);
  }
  return session_scheduled(row.name, placed, row.attempt + 1);
}

}  // namespace

void RandomCluster::run(TestJournal& journal, projections::Projection& projection, int records) {
  const auto fold = [&] { return projection.apply(projection.chain().next(), journal.payloads().back()); };
  const auto elect = [&] {
    journal.elect("c" + std::to_string(journal.epoch()));
    fold();
  };
  elect();
  v1::Event group = group_defined("default");  // with all that a group's past is kept for
  group.mutable_resource_group_defined()->set_order("fair-share");
  group.mutable_resource_group_defined()->set_select("balanced");
  journal.append(definitions() + Events{group} + agent("a0") + agent("a1") + agent("a2"));
  fold();
  for (int i = 0; i < records; ++i) {
    if (rng_.chance(1, 50)) journal.advance(static_cast<Duration>(rng_.below(20)) * kMinute);
    v1::Record next = journal.next_record(record(projection.state()));
    if (rng_.chance(1, 4)) {
      auto* range = next.mutable_header()->add_ranges();
      range->set_stream(v1::REQUESTS);
      range->set_partition(static_cast<std::uint32_t>(rng_.below(2)));
      range->set_from(projection.state().next_input("requests/" + std::to_string(range->partition())));
      range->set_to(range->from() + 1 + rng_.below(3));
    }
    const TestJournal before = rng_.chance(1, 100) ? journal : TestJournal();
    journal.append_record(next);
    if (!fold().applied()) {
      ++refused_;
      elect();
    } else if (!before.payloads().empty()) {  // a late copy of it: void
      journal.append_void(next);
      fold();
    }
  }
}

Events RandomCluster::record(const State& state) {
  Events events{event(state)};
  while (rng_.chance(1, 3)) events.push_back(rng_.chance(1, 20) ? anything(state) : event(state));
  return events;
}

v1::Event RandomCluster::event(const State& state) {
  const SessionRow* row = any_session(state, rng_);
  if (row == nullptr || rng_.chance(1, 6) || is_end(row->status)) {
    const std::string name = "s" + std::to_string(sessions_++);
    Spec spec;
    if (rng_.chance(1, 2))
      spec.batch()
          .requeueable(rng_.chance(1, 2))
          .pending_timeout(static_cast<Duration>(rng_.below(2)) * kHour);
    if (rng_.chance(1, 3)) spec.kernels(1 + static_cast<std::uint32_t>(rng_.below(3)));
    if (rng_.chance(1, 3)) spec.shares(kUnit / 2);
    spec.job_priority(static_cast<std::int32_t>(rng_.below(3)));
    return answering(session_requested(name, spec, rng_.chance(1, 3) ? "bob" : "alice"), "user:alice",
                     "request of " + name);
  }
  return rng_.chance(1, 20) ? of_agent(state) : of_session(*row, state);
}

v1::Event RandomCluster::of_session(const SessionRow& row, const State& state) {
  if (row.status == SessionStatus::kPending) {
    if (rng_.chance(1, 8)) return session_cancelled(row.name);
    if (rng_.chance(1, 6))
      return session_reason_changed(row.name, "no-capacity", rng_.chance(1, 2) ? "cpu" : "mem");
    return preempts_ && rng_.chance(1, 6) ? held(placement(row)) : placement(row);
  }
  if (row.status == SessionStatus::kReserved) {
    if (rng_.chance(1, 4))
      return rng_.chance(1, 2) ? session_cancelled(row.name) : session_unreserved(row.name);
    return placement_where_held(row);
  }
  if (const SessionRow* other = any_session(state, rng_);
      preempts_ && other->status == SessionStatus::kPending && !row.is_leaving() &&
      other->spec->spec.job_priority() > row.spec->spec.job_priority())
    return rng_.chance(1, 2) ? session_preempted(row.name, other->name)
                             : session_put_back(row.name, other->name, row.attempts);
  if (row.status == SessionStatus::kRescheduling && row.kernels_ended == row.kernel_ids.size())
    return rng_.chance(1, 4) ? session_failed(row.name) : session_requeued(row.name, row.attempts + 1);
  if (rng_.chance(1, 6)) return session_terminating(row.name, "user-requested", rng_.chance(1, 3));
  return of_kernel(row, state);
}

v1::Event RandomCluster::placement(const SessionRow& row) {
  const auto& spec = row.spec->spec;
  const bool shares = spec.roles(0).slots_size() > 2;
  std::vector<Placed> placed;
  for (std::uint32_t i = 1; i <= spec.roles(0).count(); ++i) {
    Placed one{any_agent(), {}, "main", i};
    if (shares) one.shares = {{rng_.chance(1, 2) ? "gpu0" : "gpu1", kUnit / 2}};
    placed.push_back(one);
  }
  return session_scheduled(row.name, placed, row.attempt + 1);
}

v1::Event RandomCluster::of_kernel(const SessionRow& row, const State& state) {
  std::uint32_t index = 1;
  for (std::uint32_t i = 1; i <= row.kernel_ids.size(); ++i) {
    const auto* kernel = state.kernels.find(row.kernel_ids[i - 1]);
    if (kernel->holds_slots() && rng_.chance(1, 2)) index = i;
  }
  const auto state_now = state.kernels.find(row.kernel_ids[index - 1])->state;
  const std::string name = name_of_kernel(row, index);
  if (state_now < projections::KernelState::kRunning && rng_.chance(3, 4)) {
    if (state_now < projections::KernelState::kPulling && rng_.chance(1, 2))
      return kernel_pulling(name, 50, row.attempt);
    return kernel_running(name, row.attempt);
  }
  const v1::KernelEnd ends[] = {v1::EXITED, v1::STOPPED, v1::START_FAILED, v1::AGENT_LOST, v1::SIGNALLED};
  return kernel_terminated(name, ends[rng_.below(5)], static_cast<std::int32_t>(rng_.below(3)), row.attempt);
}

v1::Event RandomCluster::of_agent(const State& state) {
  const std::string name = any_agent();
  const bool alive = state.agents.find(name)->state == projections::AgentState::kAlive;
  if (!alive || rng_.chance(1, 2))
    return agent_joined(name, 4 + static_cast<Amount>(rng_.below(8)), 16 * kGiga, {gpu("gpu0"), gpu("gpu1")},
                        ++lives_);
  return rng_.chance(1, 2) ? agent_drain_changed(name, rng_.chance(1, 2)) : agent_fenced(name);
}

v1::Event RandomCluster::anything(const State& state) {
  const SessionRow* row = any_session(state, rng_);
  const std::string s = row == nullptr ? "nobody" : row->name, k = kernel_name(s);
  switch (rng_.below(7)) {
    case 0: return session_cancelled(s);
    case 1: return session_requeued(s);
    case 2: return kernel_running(k);
    case 3: return kernel_terminated(k);
    case 4: return session_requested(s);
    case 5: return agent_left(any_agent(), lives_);
    default: return session_failed(s);
  }
}

}  // namespace berth::testing
