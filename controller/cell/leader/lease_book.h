// LeaseBook: when each agent was last heard, in the leader's memory alone (P24). What it leads to is an
// event.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "events/base/clock.h"
#include "events/base/uuid.h"

namespace berth::controller {

inline constexpr Duration kLease = 5 * kSecond;
inline constexpr Duration kLeaseMargin = 3 * kSecond;
inline constexpr Duration kUnreachableAfter = 3 * kSecond;  // takes nothing new; its kernels are left alone

class LeaseBook {
 public:
  // A new leader gives each agent one full lease of grace; so does a join.
  void start(const std::string& agent, const Uuid& incarnation, Timestamp boottime);
  void forget(const std::string& agent) { agents_.erase(agent); }

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
  // The leader's own reads stalled until now: nobody is to blame for the silence (P24).
  void excuse(Timestamp boottime);

 private:
  struct Seen {
    Uuid incarnation;
    std::uint64_t counter = 0;
    Timestamp heard = 0;  // boottime
    bool reachable = true;
  };
  std::map<std::string, Seen> agents_;
};

}  // namespace berth::controller
