// What a pass would do for one waiting session, found by making one: over a copy of the tables as they would
// be (copy.h).
//
// Right for every order and policy, since it is the pass itself that runs; dear, since the group is copied
// each time. The first run changes nothing. Where it decides nothing either, the copy that it leaves behind
// is the one that later runs start from: it knows what is refused, so they look again only where something
// was freed, as a pass of the leader does.
#pragma once

#include <functional>
#include <vector>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/model/model.h"
#include "controller/placement/pass/pass.h"

namespace berth::placement {

// Looks at an agent, and searches (dearer): a bound of what an answer may cost that is the same on every
// machine.
struct Work {
  std::uint64_t left = 0;
  bool spent() const { return left == 0; }
  void spend(std::uint64_t units) { left -= units < left ? units : left; }
};

// Asked before another session is tried, as PassVisitor::admit; empty: all may.
using MayStart = std::function<bool(const SessionId&)>;

class Trial {
 public:
  // `model` is as it is now whenever run() is called. `now`: the pass's clock.
  Trial(const Model& model, PendingIndex session, Work* work, const MayStart& may_start, Timestamp now)
      : model_(model), session_(session), work_(work), may_start_(may_start), now_(now) {}

  struct Changes {
    std::vector<LiveIndex> ends;
    std::vector<PendingIndex> leaves;
    const ClassKey* asks = nullptr;  // what the session asks for instead
    bool none() const { return ends.empty() && leaves.empty() && asks == nullptr; }
  };
  struct Run {
    bool made = false;  // false: it would cost more than the work that is left, and nothing else is said
    bool started = false;
    Reason reason;                        // not started: why
    std::vector<SessionId> started_too;   // others, in order
    std::vector<SessionId> reserved_too;  // others for whom a place was made
    std::vector<SessionId> victims;       // who has to go for the session: a place is held for it
    SessionId head;                       // another one that blocks, or has the reservation of order backfill
    std::vector<KernelPlacement> placements;
  };
  // The session's own hold is lifted; holds of others stay.
  Run run(const Changes& changes);
  // Nobody was placed, reserved or given up in the run without changes.
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
