// Choice: which agents a class may take (filters), and which it prefers (tiers), before the selection policy.
//
// Tiers compare, in this order: an agent without a recent failure of the session, a designated agent, and the
// preference of the session group (spread: fewest members, pack: most). Inside a tier the selection policy
// decides (score.h). A few agents stand out; all others share one tier, so that the index can search them.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "controller/placement/model/model.h"

namespace berth::placement {

// Smaller is better.
struct Tier {
  bool failed_on = false;
  bool not_designated = false;
  std::int64_t members = 0;  // spread: as many; pack: minus as many
  auto operator<=>(const Tier&) const = default;
};

class Choice {
 public:
  Choice(const Model& model, const Group& group, const ClassKey& key);

  // no-volume, designated-agent or session-group if a filter excludes the agent, whatever is free there; else
  // kNone.
  Code refusal(AgentIndex agent) const;
  Tier tier(AgentIndex agent) const;
  // Agents of the group that stand out, ascending.
  const std::vector<AgentIndex>& special() const { return special_; }
  bool is_special(AgentIndex agent) const;
  bool rest_allowed() const { return !(rest_designated_out_ || rest_packed_out_ || !key_.volumes.empty()); }
  Tier rest_tier() const { return {false, !key_.designated.empty(), 0}; }

 private:
  bool is_designated(AgentIndex agent) const;
  bool has_volumes(AgentIndex agent) const;
  void add(const std::string& id);
  void add_agents_with_volumes();

  const Model& model_;
  const Group& group_;
  const ClassKey& key_;
  const std::map<AgentIndex, std::uint32_t>* members_ =
      nullptr;                 // of the session group; null: there are none
  bool members_here_ = false;  // in this resource group
  bool rest_designated_out_ = false;
  bool rest_packed_out_ = false;
  std::vector<AgentIndex> special_;
  std::vector<AgentIndex> failed_;  // ascending
};

}  // namespace berth::placement
