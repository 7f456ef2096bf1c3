// LeaseBook: when each agent was last heard, and how long its lease is (P24). These times are in the leader's
// memory alone; that an agent is lost is an event. The book follows the agents' rows: a join begins a lease;
// a fence, a loss or a leave ends it at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "events/base/lease.h"
#include "events/base/uuid.h"
#include "projections/tables/agent_table.h"

namespace berth::controller {

inline constexpr Duration kLeaseMargin = 3 * kSecond;
inline constexpr Duration kUnreachableAfter = 3 * kSecond;  // takes nothing new; its kernels are left alone

class LeaseBook {
 public:
  // Leases of rows that change from here on begin at this time.
  void set_now(Timestamp boottime) { now_ = boottime; }
  void on_row(const projections::AgentRow* before, const projections::AgentRow* after);

  // A new leader gives each agent one full lease of grace; so does a join.
  void start(const projections::AgentRow& agent, Timestamp boottime);
  void forget(const std::string& agent) { agents_.erase(agent); }
  std::size_t size() const { return agents_.size(); }

  // False: a replay, or another incarnation; not to be acknowledged.
  [[nodiscard]] bool beat(const std::string& agent, const Uuid& incarnation, std::uint64_t counter,
                          Timestamp boottime);

  // Agents whose reachability changed since the last call.
  struct Change {
    std::string agent;
    bool reachable;
  };
  [[nodiscard]] std::vector<Change> changes(Timestamp boottime);
  // Agents whose lease and margin are over.
  std::vector<std::string> lost(Timestamp boottime) const;
  // Name and boottime of each, by name.
  std::vector<std::pair<std::string, Timestamp>> heard() const;
  // The leader's own reads stalled until now: nobody is to blame for the silence (P24).
  void excuse(Timestamp boottime);

 private:
  struct Seen {
    Uuid incarnation;
    std::uint64_t counter = 0;
    Timestamp heard = 0;      // boottime
    Duration lease = kLease;  // as its join asked
    bool reachable = true;
  };
  std::map<std::string, Seen> agents_;
  Timestamp now_ = 0;  // boottime
};

}  // namespace berth::controller
