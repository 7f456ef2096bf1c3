// Why a session waits, as the lines a person reads. No I/O: the caller prints them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controller/answers/unblock.h"
#include "controller/placement/pass/explain.h"

namespace berth::placement {

// How a viewer may call a session; empty: not theirs to see ("another session").
using NameSession = std::function<std::string(const SessionId&)>;

// Who holds some of this slot on this agent, the most first, then by id.
struct Holder {
  SessionId session;
  Amount amount = 0;
};
std::vector<Holder> holders_of(const Cluster& cluster, AgentIndex agent, SlotId slot);

// The cause first, one line a fact: reason and place in the queue, what lacks on the nearest agent and who
// holds it, how the other agents answered, then what would let it start.
std::vector<std::string> explain_lines(const Cluster& cluster, const Why& why, const NameSession& name);
std::vector<std::string> unblock_lines(const Cluster& cluster, const Unblock& unblock,
                                       const NameSession& name);

}  // namespace berth::placement
