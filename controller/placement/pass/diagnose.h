// Why a need fits nowhere: one verdict for each agent, and the agent that lacks least.
#pragma once

#include <vector>

#include "controller/placement/select/choice.h"
#include "controller/placement/select/fit.h"

namespace berth::placement {

struct Shortage {
  SlotId slot = kNoSlot;
  Amount asked = 0;
  Amount missing = 0;  // asked - the most that the agent could give of it
};

struct Verdict {
  AgentIndex agent = kNoAgent;
  Code code = Code::kNone;          // the stage that stopped it there; kNone: it fits
  std::vector<Shortage> shortages;  // no-capacity, no-device: in the group's slot order
};

// The verdict of one agent on `need`. `choice`: the filters of the class.
Verdict judge(const Model& model, const Agent& agent, const Need& need, const Choice& choice, Fitter& fitter);
// The same into a verdict that is used again, so that a look at all agents allocates nothing. Returns false,
// and sets the code alone, if the agent stopped at an earlier stage than `least`.
bool judge_into(const Model& model, const Agent& agent, const Need& need, const Choice& choice,
                Fitter& fitter, Code least, Verdict* verdict);

// Of two agents that failed at the same stage: fewest slots missing, then the smallest max(missing / asked),
// then the id.
bool lacks_less(const Model& model, const Verdict& a, const Verdict& b);

// True if `verdict` explains more than the best so far: a later stage, or at that stage an agent that lacks
// less.
bool says_more(const Model& model, const Verdict& verdict, const Verdict& best);

// The last stage that any agent of the group reached, and of the agents that reached it the one that lacks
// least (kNoAgent: no agent is to blame).
Verdict diagnose(const Model& model, const Group& group, const Need& need, const ClassKey& key,
                 Fitter& fitter);

Reason reason_of(const Verdict& verdict);

}  // namespace berth::placement
