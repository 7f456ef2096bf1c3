// LimitGate: which pending sessions wait because of a limit, and when they are to be asked again (BEHAVIOURS
// section 2).
//
// A pass asks admit() before it tries a session. One that is over a limit gets the wait cause `limit` in the
// scheduler's model, and passes skip it until the use of one of its scopes falls or a limit changes. What the
// pass itself has placed counts at once, although its events are folded only after the pass. Leader memory: a
// new leader's first pass finds the same.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "controller/placement/cluster/cluster.h"
#include "projections/tables/state.h"

namespace berth::controller {

class LimitGate {
 public:
  void clear();

  // Calls `f` for each session that was over a limit and is within its limits now: the limit holds it no
  // longer, other causes may.
  void lift(const projections::State& state, const std::function<void(const projections::SessionRow&)>& f);
  // REQUIRES: the placements of the previous pass are folded.
  void begin_pass(const projections::State& state);
  // Reason{} or `limit`. REQUIRES: begin_pass with the state as it is.
  placement::Reason admit(const SessionId& session);
  void placed(const SessionId& session);
  // A place is held for it: the session counts as placed until it is placed or waits no longer.
  void reserved(const SessionId& session);
  // The pass gave the place up: it counts no longer.
  void unreserved(const SessionId& session);

  // What counts under limits and is in no row of the state. A leader has nothing of this kind.
  projections::UsageBook& beside() { return beside_; }
  // What a pass counts in addition to the state: beside(), held places, and what the pass has placed.
  const projections::UsageBook& added() const { return added_; }

  // Drops the session: it waits no longer, or its held place was given up.
  void forget(const projections::SessionRow& session);
  // Something in these scopes ended or changed.
  void touch(const projections::SharedOwner& owner);
  void touch(const std::string& scope);

 private:
  bool is_over(const SessionId& session) const;
  void add(const SessionId& session, int sign = 1);

  const projections::State* state_ = nullptr;
  projections::UsageBook beside_;
  projections::UsageBook added_;
  std::map<std::string, std::set<SessionId>>
      held_;  // by scope: sessions that a change of the scope may release
  std::set<SessionId> reserved_;
  std::set<std::string> touched_;  // scopes of held_ that changed since
};

}  // namespace berth::controller
