// What a pass would do for one waiting session if some sessions ended, or left the queue, or it asked for
// less: proved by doing it, on the tables themselves, with every change undone; where that cannot be, on a
// copy.
//
// Walking: nothing is copied. Ending a session changes the cells of the agents it is on and is logged; the
// search index follows only when something is searched (most ideas fail before that: nothing fits on the
// agents that changed). run() walks the lanes as a pass does, up to the session. A class that the last pass
// refused is looked at on the changed agents alone: where nothing changed it is still refused. The tables are
// as before when the WhatIf is gone (and after reset()).
//
// Not walked (can_walk() is false): orders whose keys or held_places move with every placement (drf,
// fair-share, backfill), groups that preempt or are asked for a policy of their own, and cells with held
// places (RESERVED), which a pass looks at first, or with session groups, whose members come and go with
// those who start and end. There run() is a real pass over a copy of the group as it would be (trial.h): as
// exact, and far dearer.
#pragma once

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
  // What the session asks for instead; null: its own request again. The caller keeps it.
  void ask(const ClassKey* key, const Need* need);
  void reset();

  // ---- questions; each leaves the changes as they are ----
  struct Run {
    bool made = true;  // false: no work was left for it, and nothing else is said
    bool started = false;
    bool first = true;                      // nobody else was tried before it
    bool own_turn = false;                  // its turn came with everything as it is
    PendingIndex blocker = kNothing;        // the head that ended the pass
    std::vector<PendingIndex> started_too;  // before it, in order
    std::vector<PendingIndex> held_for;     // others for whom a place is held
    std::vector<SessionId> victims;         // who has to go for it: its own place is held then
    std::size_t part = 0;  // of the kernels: the first that found no place, of the session or the blocker
    Reason reason;         // not started, nobody blocks it, and it was asked for: why
    std::vector<KernelPlacement> placements;  // started: where, by kernel
  };
  // One pass up to the session. `explain`: with the reason, which costs a look at every agent.
  Run run(bool explain = false);
  // Whether it would be placed if it were the first of all.
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
  Outcome attempt(const Request& request);
  Outcome place(const Request& request);
  bool place_kernels(const Request& request, Outcome* outcome);
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
