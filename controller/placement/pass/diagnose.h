// Why something fits nowhere: a verdict an agent, and the one that lacks least.
#pragma once

#include <string>
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

// What one agent says to `need`; `choice`: the filters of its class.
Verdict judge(const Model& model, const Agent& agent, const Need& need, const Choice& choice, Fitter& fitter);
// The same into a verdict that was used before: who looks at all agents pays for no memory. Returns false,
// with the code alone, when that agent stopped at an earlier stage than `least`.
bool judge_into(const Model& model, const Agent& agent, const Need& need, const Choice& choice,
                Fitter& fitter, Code least, Verdict* verdict);

// Of two agents that failed at the same stage: fewest slots missing, then the smallest max(missing / asked),
// then the id.
bool lacks_less(const Model& model, const Verdict& a, const Verdict& b);

// Whether `verdict` says more of why it waits than the best so far: a later stage, or there an agent that
// lacks less.
bool says_more(const Model& model, const Verdict& verdict, const Verdict& best);

// The last stage that any agent of the group reached, and there the agent that lacks least (kNoAgent: none is
// to blame).
Verdict diagnose(const Model& model, const Group& group, const Need& need, const ClassKey& key,
                 Fitter& fitter);

Reason reason_of(const Verdict& verdict);

}  // namespace berth::placement
