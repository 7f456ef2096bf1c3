#include "controller/feed/leader_todo.h"

namespace berth::controller {

using projections::AgentRow;
using projections::SessionRow;

LeaderTodo::LeaderTodo(const projections::State& state) {
  for (const auto& [created, id] : state.pending()) on_row(nullptr, state.sessions.find(id));
}

void LeaderTodo::on_row(const SessionRow* before, const SessionRow* after) {
  if (after == nullptr) return;
  const bool waited = before != nullptr && projections::is_waiting(before->status);
  if (projections::is_waiting(after->status) && !waited)
    failed_dependencies_.insert(failed_dependencies_.end(), after->unmet.begin(), after->unmet.end());
  if (before == nullptr || before->status == after->status || !projections::is_end(after->status)) return;
  if (after->result != projections::SessionResult::kSuccess && after->spec->spec.type() == v1::BATCH)
    failed_dependencies_.push_back(after->id);
}

void LeaderTodo::on_row(const AgentRow*, const AgentRow* after) {
  if (after != nullptr && after->state == projections::AgentState::kLost) lost_ = true;
}

}  // namespace berth::controller
