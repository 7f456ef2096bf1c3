#include "controller/answers/answers.h"

#include <algorithm>

#include "controller/placement/model/model.h"

namespace berth::controller {

using projections::SessionRow;
using projections::State;

Explanation Answers::why(const State& state, Timestamp now, const SessionId& session,
                         const SeesSession& sees) {
  catch_up(state, now);
  return controller::why({state, feed_, estimates_, now, sees}, session);
}

DryRunAnswer Answers::dry_run(const State& state, Timestamp now, const v1::Request& request,
                              const InHistory& in_history, const SeesSession& sees) {
  catch_up(state, now);
  return answer_dry_run({state, feed_, estimates_, now, sees}, request, in_history);
}

std::optional<StartEstimate> Answers::estimate_start(const State& state, Timestamp now,
                                                     const SessionId& session) {
  catch_up(state, now);
  const SeesSession nobody = [](const SessionRow&) { return false; };  // an estimate names no session
  return controller::estimate_start({state, feed_, estimates_, now, nobody}, session);
}

// Ended sessions that are still in the state come last: they ended last.
void Answers::seed(const std::vector<projections::HistoryEntry>& newest_first, const State& state) {
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

void Answers::forget() {
  built_ = false;
  estimates_.clear();
}

// What changes without a row that a listener is told of: time, and turns.
void Answers::catch_up(const State& state, Timestamp now) {
  if (!built_) feed_.rebuild(state, now);
  built_ = true;
  feed_.refresh(state, now);
  for (const auto& key : state.turns.sorted_keys())
    if (feed_.cluster().has_group(key))
      feed_.cluster().set_round_robin_index(key, state.turns.find(key)->turn);
  for (placement::Group& group : feed_.cluster().model().groups)
    group.unexplained.clear();  // no pass is made here
}

void Answers::on_row(const SessionRow* before, const SessionRow* after) {
  estimates_.on_session(before, after);
  if (built_) feed_.on_row(before, after);
}

}  // namespace berth::controller
