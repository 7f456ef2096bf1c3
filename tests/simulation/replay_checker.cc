#include "tests/simulation/replay_checker.h"

namespace berth::simulation {
namespace {

constexpr Partition kJournal{Stream::kJournal, 0};

void check_leaks(const projections::Projection& fresh, std::vector<std::string>& failures) {
  fresh.state().kernels.for_each_unordered([&](const projections::KernelRow& row) {
    if (row.holds_slots()) failures.emplace_back("a slot leaked");
  });
  for (const auto& name : fresh.state().agents.sorted_keys())
    if (const auto* use = fresh.state().occupancy().find(name))
      for (const auto& slot : use->slots.entries())
        if (slot.amount != 0) failures.push_back("a slot leaked: " + slot.slot + " of " + name);
}

}  // namespace

Replayed check_replay(const SimCluster& cluster, const std::vector<SimController*>& controllers,
                      const JournalAuditor& auditor, std::vector<std::string>& failures) {
  using projections::Projection;
  Replayed replayed;
  Projection fresh(cluster.cluster, Projection::Tracking::kRows, cluster.trust());
  for (Offset offset = 0; offset < cluster.server->extent(kJournal).end; ++offset) {
    const LogEntry entry = cluster.journal_at(offset);
    auto outcome = fresh.apply(entry);
    if (outcome.what == projections::ApplyOutcome::What::kMismatch) outcome = fresh.apply(entry, true);
    if (!outcome.applied()) continue;
    for (const auto& event : fresh.record().events())
      replayed.events = blake2b_128(std::string(as_view(replayed.events)) + event.SerializeAsString());
  }
  replayed.state = fresh.state_hash();
  if (replayed.state == Projection(cluster.cluster, Projection::Tracking::kRows).state_hash())
    failures.emplace_back("the state hash is that of an empty state");
  if (fresh.counters().applied != auditor.applied())
    failures.push_back("the fold applied " + std::to_string(fresh.counters().applied) +
                       " records, the auditor " + std::to_string(auditor.applied()));
  for (SimController* c : controllers) {
    Projection projection(c->projector().projection());
    if (projection.chain().next() == fresh.chain().next() && projection.state_hash() != fresh.state_hash())
      failures.emplace_back("a replay gives another state than the live fold");
  }
  check_leaks(fresh, failures);
  return replayed;
}

std::string describe(const SimCluster& cluster, const projections::State& state,
                     const std::vector<std::unique_ptr<SimAgent>>& agents,
                     const std::vector<SimController*>& controllers) {
  std::string text;
  for (const SessionId& id : state.sessions.sorted_keys()) {
    const auto* s = state.sessions.find(id);
    if (!projections::is_end(s->status))
      text += ", " + s->name + " " + projections::name_of(s->status) + " " + s->reason_code;
  }
  for (const auto& agent : agents) {
    text += ", " + agent->name() + " runs " + std::to_string(agent->machine().running().size());
    for (const auto& key : agent->machine().running())
      text += " (" + to_string(key.kernel).substr(0, 8) + "/" + std::to_string(key.attempt) + ")";
  }
  for (const auto& key : state.kernels.sorted_keys()) {
    const auto* k = state.kernels.find(key);
    if (k->holds_slots())
      text += ", journal has " + to_string(key).substr(0, 8) + "/" + std::to_string(k->attempt) + " on " +
              k->agent + " " + projections::name_of(k->state);
  }
  for (const auto& name : state.agents.sorted_keys())
    text += std::string(", ") + name + " " + projections::name_of(state.agents.find(name)->state);
  for (SimController* c : controllers)
    if (c->up())
      text += std::string(", ") + (c->leading() ? "leading" : "standing by") + " at " +
              std::to_string(c->projector().next());
    else if (c->has_refused())
      text += ", " + c->name() + " has refused";
  return text + ", journal ends at " + std::to_string(cluster.server->extent(kJournal).end) + ", in flight " +
         std::to_string(cluster.server->in_flight().size());
}

}  // namespace berth::simulation
