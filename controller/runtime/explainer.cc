#include "controller/runtime/explainer.h"

#include <algorithm>
#include <map>

#include "controller/answers/explain_text.h"
#include "controller/placement/model/model.h"
#include "controller/runtime/why.h"

namespace berth::controller {
namespace {

using projections::SessionRow;
using projections::State;

placement::Reason recorded_wait_cause(const SessionRow* row) {
  return row == nullptr ? placement::Reason{} : ClusterFeed::recorded_wait_cause(*row);
}

// Not where something else holds it: when that is lifted nobody can say.
bool waits_for_room(const SessionRow& row) {
  return row.status == projections::SessionStatus::kPending &&
         ClusterFeed::recorded_wait_cause(row).code == placement::Code::kNone;
}

// Sessions that are only tried are in no set: nobody can end them.
std::vector<std::vector<SessionId>> visible(const placement::SessionSets& found, const State& state,
                                            const SeesSession& sees) {
  std::vector<std::vector<SessionId>> sets;
  for (const auto& set : found.sets) {
    bool all = true;
    for (const SessionId& id : set) {
      const SessionRow* row = state.sessions.find(id);
      all = all && row != nullptr && sees(*row);
    }
    if (all) sets.push_back(set);
  }
  return sets;
}

std::function<std::string(const SessionId&)> names_of(const State& state, const SeesSession& sees) {
  return [&](const SessionId& id) {
    const SessionRow* row = state.sessions.find(id);
    return row != nullptr && sees(*row) ? row->name : std::string();
  };
}

std::string sessions_text(std::size_t count, const char* which) {
  return (count == 1 ? "the session " : "the " + std::to_string(count) + " sessions ") + which;
}

// Nothing of what the state knows lacks: others start first.
void blame_others(const WouldBe& session, Explanation& why) {
  if (session.room_for_same + session.room_for_others == 0) return;
  std::string who;
  if (session.room_for_same > 0)
    who = sessions_text(session.room_for_same, "asked for before it in the same request");
  if (session.room_for_others > 0)
    who += (who.empty() ? "" : " and ") +
           sessions_text(session.room_for_others, "that the next pass starts before it");
  const bool one = session.room_for_same + session.room_for_others == 1;
  why.text = who + (one ? " takes the room" : " take the room");
  why.hint = "alone it would start now";
}

}  // namespace

Explanation Explainer::explain(const State& state, Timestamp now, const SessionId& session,
                               const SeesSession& sees) {
  const std::lock_guard lock(mutex_);
  catch_up(state, now);
  Explanation out = explain_waiting(state, session, sees);
  const SessionRow* row = state.sessions.find(session);
  if (row == nullptr) return out;
  add_queue(state, now, *row, sees, names_of(state, sees), out);
  if (!waits_for_room(*row)) return out;
  ExpectedStart start;
  out.start = estimate_of(state, *row, now, &start);
  estimates_.told(session, start, now);
  return out;
}

DryRunAnswer Explainer::dry_run(const State& state, Timestamp now, const v1::Request& request,
                                const InHistory& in_history, const SeesSession& sees) {
  const std::lock_guard lock(mutex_);
  catch_up(state, now);
  DryRunAnswer out;
  DryRun run(feed_, state, now);
  out.refusal = run.ask(request, in_history);
  const std::string policy = run.policy_not_asked();
  if (!policy.empty())
    out.note = "the group's policy \"" + policy +
               "\" is not asked for a dry run: places are as if the group concentrated";
  std::map<SessionId, std::string> asked;
  for (const WouldBe& session : run.sessions()) asked.emplace(session.row.id, session.row.name);
  const NameOf recorded = names_of(state, sees);
  const auto name = [&](const SessionId& id) {
    const auto found = asked.find(id);
    return found != asked.end() ? found->second : recorded(id);
  };
  for (const WouldBe& session : run.sessions()) {
    WouldStart would{session.row.name, std::nullopt, {}, {}, session.preempts.size()};
    if (session.known) would.starts = session.starts;
    for (const WouldPlace& place : session.kernels)
      would.kernels.push_back({place.kernel, place.agent, place.devices});
    for (const SessionId& id : session.preempts)
      if (const SessionRow* row = state.sessions.find(id); row != nullptr && sees(*row))
        would.preempts.push_back(row->name);
    out.sessions.push_back(std::move(would));
    if (session.starts || out.why) continue;
    out.waiting = session.row.name;
    out.why = explain_waiting(state, session.row, &run.added());
    blame_others(session, *out.why);
    add_queue(state, now, session.row, sees, name, *out.why);
    if (waits_for_room(session.row)) out.why->start = estimate_of(state, session.row, now);
  }
  return out;
}

std::optional<StartEstimate> Explainer::estimate(const State& state, Timestamp now,
                                                 const SessionId& session) {
  const std::lock_guard lock(mutex_);
  catch_up(state, now);
  const SessionRow* row = state.sessions.find(session);
  if (row == nullptr || !waits_for_room(*row)) return std::nullopt;
  ExpectedStart start;
  StartEstimate out = estimate_of(state, *row, now, &start);
  estimates_.told(session, start, now);
  return out;
}

StartEstimate Explainer::estimate_of(const State& state, const SessionRow& session, Timestamp now,
                                     ExpectedStart* start) {
  const ExpectedStart expected = estimates_.expect(feed_.cluster(), state, session, now);
  if (start != nullptr) *start = expected;
  StartEstimate out;
  const std::array<std::optional<Timestamp>, 2> at = {expected.p50, expected.p90};
  const std::array<placement::NoEstimate, 2> none = {expected.none50, expected.none90};
  for (std::size_t i = 0; i < at.size(); ++i) {
    const placement::Calibration& known = estimates_.calibration()[i];
    out.percentiles.push_back({StartEstimates::kPercents[i], at[i], known.made,
                               static_cast<std::uint64_t>(known.met_permille()),
                               std::string(placement::to_string(none[i]))});
  }
  return out;
}

std::array<placement::Calibration, 2> Explainer::calibration() {
  const std::lock_guard lock(mutex_);
  return estimates_.calibration();
}

// Those that have ended and are in the state still come last: they ended last.
void Explainer::seed(const std::vector<projections::HistoryEntry>& newest_first, const State& state) {
  estimates_.clear();
  for (auto entry = newest_first.rbegin(); entry != newest_first.rend(); ++entry)
    estimates_.note_end(entry->session);
  std::vector<const SessionRow*> ended;
  for (const auto& id : state.sessions.sorted_keys())
    if (const SessionRow* row = state.sessions.find(id); projections::is_end(row->status))
      ended.push_back(row);
  std::stable_sort(ended.begin(), ended.end(),
                   [](const auto* a, const auto* b) { return a->ended_at < b->ended_at; });
  for (const SessionRow* row : ended) estimates_.note_end(*row);
}

// The leader lifts these holds by its tick; turns are no rows that a listener hears of.
void Explainer::catch_up(const State& state, Timestamp now) {
  if (!built_) feed_.rebuild(state, now);
  built_ = true;
  feed_.refresh(state, now);
  for (const auto& timer : state.timers()) {
    if (timer.due > now) break;
    if (timer.kind == projections::TimerKind::kStartTime)
      feed_.start_time_reached(*state.sessions.find(timer.session));
  }
  for (const auto& key : state.turns.sorted_keys())
    if (feed_.cluster().has_group(key))
      feed_.cluster().set_round_robin_index(key, state.turns.find(key)->turn);
  for (placement::Group& group : feed_.cluster().model().groups)
    group.unexplained.clear();  // no pass is made here
}

void Explainer::add_queue(const State& state, Timestamp now, const SessionRow& session,
                          const SeesSession& sees, const NameOf& name, Explanation& out) {
  std::erase_if(out.holders,
                [&](const Holder& holder) { return !sees(*state.sessions.find(holder.session)); });
  placement::Cluster& cluster = feed_.cluster();
  if (!cluster.is_pending(session.id)) return;
  cluster.set_wait_cause(session.id, ClusterFeed::recorded_wait_cause(session));
  out.queue_position = static_cast<std::uint32_t>(placement::why(cluster, session.id, false).position);
  if (!cluster.is_reserved(session.id)) add_unblock(state, now, session.id, sees, name, out);
}

void Explainer::add_unblock(const State& state, Timestamp now, const SessionId& session,
                            const SeesSession& sees, const NameOf& name, Explanation& out) {
  placement::UnblockOptions options;
  options.now = now;
  options.may_start = [&state](const SessionId& id) {
    return recorded_wait_cause(state.sessions.find(id)).code == placement::Code::kNone;
  };
  const placement::Unblock found = placement::unblock(feed_.cluster(), session, options);
  if (out.code == "behind-head" && !found.head.is_nil()) out.blocked_by = found.head;
  out.unblock.lines = placement::unblock_lines(feed_.cluster(), found, name);
  out.unblock.ends = visible(found.ends, state, sees);
  out.unblock.leaves = visible(found.leaves, state, sees);
  out.unblock.complete = found.ends.complete && found.leaves.complete && found.less_complete;
  out.unblock.proved = found.proved;
}

void Explainer::on_row(const SessionRow* before, const SessionRow* after) {
  estimates_.on_session(before, after);
  if (!built_) return;
  feed_.on_row(before, after);
  (void)feed_.take_failed_dependencies();  // the leader's business
}

}  // namespace berth::controller
