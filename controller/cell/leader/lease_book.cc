#include "controller/cell/leader/lease_book.h"

#include <algorithm>

namespace berth::controller {

using projections::AgentRow;
using projections::AgentState;

void LeaseBook::on_row(const AgentRow* before, const AgentRow* after) {
  if (after == nullptr || after->state != AgentState::kAlive)
    forget((after != nullptr ? after : before)->name);
  else if (before == nullptr || before->joined != after->joined)
    start(*after, now_);
}

void LeaseBook::start(const AgentRow& agent, Timestamp boottime) {
  Seen& seen = agents_[agent.name];
  if (seen.incarnation != agent.incarnation) seen.counter = 0;
  seen.incarnation = agent.incarnation;
  seen.heard = boottime;
  seen.lease = lease_of(agent.lease_ms);
  seen.reachable = true;
}

bool LeaseBook::beat(const std::string& agent, const Uuid& incarnation, std::uint64_t counter,
                     Timestamp boottime) {
  const auto it = agents_.find(agent);
  if (it == agents_.end() || it->second.incarnation != incarnation || counter <= it->second.counter)
    return false;
  it->second.counter = counter;
  it->second.heard = boottime;
  return true;
}

std::vector<LeaseBook::Change> LeaseBook::changes(Timestamp boottime) {
  std::vector<Change> out;
  for (auto& [agent, seen] : agents_) {
    const bool reachable = boottime < seen.heard + kUnreachableAfter;
    if (reachable == seen.reachable) continue;
    seen.reachable = reachable;
    out.push_back({agent, reachable});
  }
  return out;
}

std::vector<std::string> LeaseBook::lost(Timestamp boottime) const {
  std::vector<std::string> out;
  for (const auto& [agent, seen] : agents_)
    if (boottime >= seen.heard + seen.lease + kLeaseMargin) out.push_back(agent);
  return out;
}

std::vector<std::pair<std::string, Timestamp>> LeaseBook::heard() const {
  std::vector<std::pair<std::string, Timestamp>> out;
  for (const auto& [agent, seen] : agents_) out.emplace_back(agent, seen.heard);
  return out;
}

void LeaseBook::excuse(Timestamp boottime) {
  for (auto& [agent, seen] : agents_) seen.heard = std::max(seen.heard, boottime);
}

}  // namespace berth::controller
