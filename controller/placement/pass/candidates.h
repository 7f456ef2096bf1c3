// Candidates: what a search for one place looks at, agent by agent, for whoever wants to see how it comes to
// its choice: the filters and what each takes out, and what the selection compares of the agents that are
// left.
//
// Asked of the model as it is right before the search, by the search's own functions. Costs a look at every
// agent of the group.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/placement/model/model.h"
#include "controller/placement/pass/diagnose.h"
#include "controller/placement/select/choice.h"

namespace berth::placement {

// The stages in the order in which an agent passes them.
inline constexpr Code kFilters[] = {Code::kNoAgents,        Code::kArchitecture, Code::kNoVolume,
                                    Code::kDesignatedAgent, Code::kSessionGroup, Code::kContainerLimit,
                                    Code::kNoCapacity,      Code::kNoDevice};

// One of the things that are compared, in order; smaller is better.
struct ScorePart {
  enum class What : std::uint8_t {
    kFailedOn,       // 1: the session failed to start there lately
    kNotDesignated,  // 1: another one is preferred
    kMembers,        // of its session group there: as many, or minus as many (pack)
    kUnused,         // capabilities that it would leave unused; negative where the most are wanted
    kFree,           // what is free of `slot` there; negative where the most is wanted
    kRise,           // of fragmentation
    kTurn,           // how many are before it in turn
  } what = What::kUnused;
  SlotId slot = kNoSlot;   // of kFree
  std::int64_t value = 0;  // of kFree: an amount
  bool has = true;         // of kFree: whether the agent has the slot at all; those that have come first
  bool operator==(const ScorePart&) const = default;
};

struct Candidate {
  AgentIndex agent = kNoAgent;
  std::vector<ScorePart> score;
};

struct Candidates {
  struct Filter {
    Code code = Code::kNone;
    std::vector<Verdict> removed;  // by agent id
  };
  std::size_t agents = 0;            // of the group
  std::vector<Filter> filters;       // those that took something out
  std::vector<Candidate> remaining;  // best first
  std::size_t ties = 0;              // that are as good as the best; their ids decide, the smallest first
};

Candidates candidates_of(const Model& model, const Group& group, const ClassKey& key, const Need& need);

// For each search of the session, in order: one for all kernels of a single-node session, else one for each
// kernel, with those before it where they go, up to the first that finds no place. At most `most` of them.
// Changes the model while it looks.
struct Searched {
  std::size_t kernel = 0;  // from 0; of a single-node session the first of all
  Candidates candidates;
};
std::vector<Searched> searches_of(Model& model, PendingIndex session, std::size_t most);

}  // namespace berth::placement
