// LeaderTodo: what the leader has to look at because rows changed: agents that were lost, and sessions whose
// dependents may have to be cancelled. Leader memory: a new leader looks at everything once.
#pragma once

#include <utility>
#include <vector>

#include "projections/tables/state.h"

namespace berth::controller {

class LeaderTodo {
 public:
  // For a new leader: all lost agents, and every session for which another one waits.
  explicit LeaderTodo(const projections::State& state);

  // True once after an agent was recorded as lost or fenced: its kernels are to be looked at.
  [[nodiscard]] bool take_lost() { return std::exchange(lost_, false); }
  void look_at_lost_again() { lost_ = true; }
  // Sessions that other sessions wait or waited for, and that may have ended without SUCCESS.
  [[nodiscard]] std::vector<SessionId> take_failed_dependencies() {
    return std::exchange(failed_dependencies_, {});
  }
  void look_at_dependency_again(const SessionId& session) { failed_dependencies_.push_back(session); }

  void on_row(const projections::SessionRow* before, const projections::SessionRow* after);
  void on_row(const projections::AgentRow* before, const projections::AgentRow* after);

 private:
  bool lost_ = true;
  std::vector<SessionId> failed_dependencies_;
};

}  // namespace berth::controller
