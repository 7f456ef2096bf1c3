// What a pass would do for one waiting session, found by a pass over a copy of the tables as they would be
// (cluster_copy.h).
//
// Right for every order and policy, since the pass itself runs; expensive, since the group is copied each
// time. The first run is made without changes. If the pass places nobody, its copy is kept, and later runs
// start from it: the copy knows what is refused, so a later run looks again only where something was freed,
// as a pass of the leader does.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/model/model.h"
#include "controller/placement/pass/pass.h"

namespace berth::placement {

// A bound of what an answer may cost, the same on every machine: in looks at an agent; a search costs more
// than one.
struct Work {
  std::uint64_t left = 0;
  bool spent() const { return left == 0; }
  void spend(std::uint64_t units) { left -= units < left ? units : left; }
};

// Asked before another session is tried, as PassVisitor::admit; empty: all may start.
using MayStart = std::function<bool(const SessionId&)>;

class Trial {
 public:
  // Every run() goes by `model` as it is then. `now`: the pass's clock.
  Trial(const Model& model, PendingIndex session, Work* work, const MayStart& may_start, Timestamp now)
      : model_(model), session_(session), work_(work), may_start_(may_start), now_(now) {}

  struct Changes {
    std::vector<LiveIndex> ends;
    std::vector<PendingIndex> leaves;
    const ClassKey* asks = nullptr;  // the session asks for this instead; null: for the same as now
    bool none() const { return ends.empty() && leaves.empty() && asks == nullptr; }
  };
  struct Run {
    bool made = false;  // false: the run would cost more than the work that is left; all else is empty
    bool started = false;
    Reason reason;                        // not started: why
    std::vector<SessionId> started_too;   // others, in order
    std::vector<SessionId> reserved_too;  // others that got a place held
    std::vector<SessionId> victims;       // the sessions that have to go first; a place is held for this one
    SessionId head;                       // another session that blocks, or has backfill's reservation
    std::vector<KernelPlacement> placements;
  };
  // As if the session's own hold were lifted; the holds of others stay.
  Run run(const Changes& changes);
  // The run without changes was made, and placed, reserved and gave up no session.
  bool is_quiet() const { return known_.made && quiet_; }
  // The run without changes.
  const Run& as_things_are();

 private:
  const Model& source() const { return warm_ ? warm_->model() : model_; }
  GroupIndex group() const { return model_.classes[model_.pending[session_].session_class].key.group; }
  std::uint64_t price(bool changed) const;
  void apply(const Changes& changes, Cluster* copy) const;
  Run pass_over(Cluster* copy, bool* quiet);

  const Model& model_;
  const PendingIndex session_;
  Work* const work_;
  const MayStart& may_start_;
  const Timestamp now_;
  bool tried_ = false;
  bool quiet_ = false;
  Run known_;
  Cluster scratch_;
  std::optional<Cluster> warm_;
};

}  // namespace berth::placement
