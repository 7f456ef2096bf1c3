// What a pass would do for one waiting session if some sessions ended, or left the queue, or if the session
// asked for less. The proof is a run of the scheduler: on the tables themselves with every change undone, or,
// where that is not possible, on a copy.
//
// Walking: nothing is copied. The end of a session changes the cells of its agents and is logged. The search
// index follows only when something is searched; most changes fail before that, as nothing fits on the
// changed agents. run() walks the lanes as a pass does, up to the session. A class that the last pass refused
// is looked at only on the changed agents: elsewhere it is still refused. The tables are as before after
// reset() and when the WhatIf is gone.
//
// A copy (can_walk() is false) is needed
// - for orders whose keys or held places move with every placement: drf, fair-share, backfill;
// - for groups that preempt, or select by a policy of their own;
// - in cells with held places (RESERVED), at which a pass looks first;
// - in cells with session groups, whose members change with every start and end.
// There run() is a real pass over a copy of the group as it would be (trial.h): as exact, and far more
// expensive.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "controller/answers/trial.h"
#include "controller/placement/model/model.h"
#include "controller/placement/select/fit.h"

namespace berth::placement {

class WhatIf {
 public:
  // `now`: the clock of the pass, where one is made.
  WhatIf(Model& model, PendingIndex session, Work* work, MayStart may_start = {}, Timestamp now = 0);
  ~WhatIf() { reset(); }
  WhatIf(const WhatIf&) = delete;

  bool can_walk() const { return walks_; }

  // ---- changes, until reset() ----
  void end(LiveIndex live);
  void leave(PendingIndex ahead) { gone_.push_back(ahead); }
  // The session asks for this instead; null: its own request again. The caller keeps `key` and `need` alive.
  void ask(const ClassKey* key, const Need* need);
  void reset();

  // ---- questions; each leaves the changes as they are ----
  struct Run {
    bool made = true;  // false: no work was left for the run; all else is empty
    bool started = false;
    bool first = true;                       // no other session was tried first
    bool undisturbed = false;                // the pass came to the session with everything as it is
    PendingIndex blocker = kNothing;         // the head that ended the pass
    std::vector<PendingIndex> started_too;   // before the session, in order
    std::vector<PendingIndex> reserved_too;  // others that got a place held
    std::vector<SessionId> victims;  // the sessions that have to go first; a place is held for this one
    std::size_t part = 0;  // the first kernel spec that found no place, of the session or of the blocker
    Reason reason;         // with `explain`, if the session did not start and no head blocks it
    std::vector<KernelPlacement> placements;  // of a session that started, by kernel
  };
  // One pass up to the session. `explain`: with the reason, at the cost of a look at every agent.
  Run run(bool explain = false);
  // Whether the session would be placed if it were the first of all.
  bool alone(std::size_t* part = nullptr);

 private:
  struct Step {
    RequirementIndex requirement;
    AgentIndex agent;
    std::span<const DeviceShare> devices;
    int sign;
  };
  struct Outcome {
    bool placed = false;
    std::size_t part = 0;
  };
  struct Request {
    const ClassKey* key;
    const Need* need;
    ClassIndex session_class;  // kNothing: a request of no class
  };
  struct Walk;

  bool stands_still() const;
  Run walk(bool explain);
  Reason explain_own();
  Run try_on_copy();
  bool is_hopeless();
  bool is_hopeless_on_copy();
  bool is_simple(ClassIndex session_class) const;
  bool was_refused(ClassIndex session_class);
  std::size_t failed_part(PendingIndex session);
  Request request_of(PendingIndex session) const;
  Request own_request() const;
  bool is_refused_as_before(const Request& request);
  bool fits_on_changed(const Request& request);
  Outcome try_placing(const Request& request);
  Outcome place(const Request& request);
  bool place_kernels(const Request& request, Outcome* outcome);
  bool is_never(const Request& request);
  bool blocks(const LaneKey& lane, const Request& request, std::size_t part);
  bool walk_lane(const LaneKey& key, const Lane& lane, Walk* walk);
  bool passed_over(const LaneKey& lane, const Head& head, Walk* walk);
  bool try_own(Walk* walk);
  bool is_gone(PendingIndex session) const;
  const Need& kernel_need(RequirementIndex requirement);
  void apply(const Step& step);
  void undo_to(std::size_t steps);
  void follow();  // the index sees the agents as they are now

  Model& model_;
  Group& group_;
  const PendingIndex session_;
  Work* work_;
  const MayStart may_start_;
  const bool walks_;
  const ClassKey* asked_key_ = nullptr;
  const Need* asked_need_ = nullptr;
  std::vector<Step> steps_;
  std::vector<KernelPlacement> taken_;  // what steps that take refer to
  std::vector<AgentIndex> changed_;     // agents of steps_, once each
  std::vector<AgentIndex> followed_;    // those that the index may see as they were not at the beginning
  bool behind_ = false;                 // a change since the last follow()
  std::vector<LiveIndex> ended_;
  std::vector<PendingIndex> gone_;
  std::map<RequirementIndex, Need> kernel_needs_;
  enum class Refused : std::int8_t { kUnknown, kNo, kYes };
  std::vector<Refused> refused_;  // by class: a simple one, by the last pass
  std::map<std::pair<std::uint32_t, const ClassKey*>, bool> may_block_;  // by architecture and class
  std::vector<KernelPlacement> found_;
  Trial trial_;
};

}  // namespace berth::placement
