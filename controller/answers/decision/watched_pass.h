// WatchedPass: the leader's visitor of a pass, which besides notes what the pass looked at.
#pragma once

#include <map>

#include "controller/feed/pass_decisions.h"
#include "controller/placement/pass/candidates.h"

namespace berth::controller {

class WatchedPass final : public PassDecisions {
 public:
  WatchedPass(LimitGate& gate, placement::Cluster& cluster, const SessionId& session,
              std::size_t searches_max)
      : PassDecisions(gate), cluster_(cluster), session_(session), searches_max_(searches_max) {}

  // The pass asks right before it searches: the model is what the search will see.
  placement::Reason admit(const SessionId& id) override {
    asked_.try_emplace(id, asked_.size() + 1);
    const placement::Reason reason = PassDecisions::admit(id);
    if (id == session_ && reason.code == placement::Code::kNone && searches_.empty()) look();
    return reason;
  }

  // The how many-th the pass looked at; 0: never.
  std::size_t asked(const SessionId& id) const {
    const auto found = asked_.find(id);
    return found == asked_.end() ? 0 : found->second;
  }
  const std::vector<placement::Searched>& searches() const { return searches_; }
  bool behind_head() const { return behind_head_; }

 private:
  void look() {
    placement::Model& model = cluster_.model();
    const placement::PendingIndex pending = model.find_pending_index(session_);
    const placement::Group& group =
        model.groups[model.classes[model.pending[pending].session_class].key.group];
    behind_head_ = group.policy.order == placement::Order::kBackfill && !group.head.is_nil();
    searches_ = placement::searches_of(model, pending, searches_max_);
  }

  placement::Cluster& cluster_;
  const SessionId session_;
  const std::size_t searches_max_;
  std::map<SessionId, std::size_t> asked_;
  std::vector<placement::Searched> searches_;
  bool behind_head_ = false;
};

}  // namespace berth::controller
