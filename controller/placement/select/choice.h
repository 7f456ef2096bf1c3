// Which agents a class may take at all, and which it would rather: filters and tiers in front of the
// selection's own order.
//
// A tier is, in this order: not an agent on which it failed lately, a designated one, and what the session
// group prefers (spread: fewest members, pack: most). Of one tier the selection policy decides (score.h).
// Only a few agents stand out; the rest share one tier, so that the index can search them.
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

  // kNone, designated-agent or session-group: a filter that says no, whatever is free.
  Code refusal(AgentIndex agent) const;
  Tier tier(AgentIndex agent) const;
  // Agents of the group that stand out, ascending.
  const std::vector<AgentIndex>& special() const { return special_; }
  bool is_special(AgentIndex agent) const;
  bool rest_allowed() const { return !(rest_designated_out_ || rest_packed_out_); }
  Tier rest_tier() const { return {false, !key_.designated.empty(), 0}; }

 private:
  bool is_designated(AgentIndex agent) const;
  void add(const std::string& id);

  const Model& model_;
  const Group& group_;
  const ClassKey& key_;
  const std::map<AgentIndex, std::uint32_t>* members_ = nullptr;  // of its session group; null: none live
  bool members_here_ = false;                                     // in this resource group
  bool rest_designated_out_ = false;
  bool rest_packed_out_ = false;
  std::vector<AgentIndex> special_;
  std::vector<AgentIndex> failed_;  // ascending
};

}  // namespace berth::placement
