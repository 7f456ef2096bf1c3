#include "controller/placement/select/choice.h"

#include <algorithm>

#include "controller/placement/model/members.h"

namespace berth::placement {

Choice::Choice(const Model& model, const Group& group, const ClassKey& key)
    : model_(model), group_(group), key_(key) {
  for (const std::string& id : key.designated) add(id);
  rest_designated_out_ = !key.designated.empty() && key.strict;
  for (const FailedOn& failed : key.failed_on) {
    const auto found = model.agent_ids.find(failed.agent);
    if (failed.until <= model.now || found == model.agent_ids.end()) continue;
    add(failed.agent);
    failed_.push_back(found->second);
  }
  if (!key.volumes.empty()) add_agents_with_volumes();
  if (key.rule != GroupRule::kNone && model.members.contains(key.session_group)) {
    members_ = &model.members.at(key.session_group);
    for (const auto& [agent, count] : *members_) {
      if (model.agents[agent].group != model.index_of(group)) continue;
      members_here_ = true;
      special_.push_back(agent);
    }
    rest_packed_out_ = members_here_ && key.waits_for_members();
  }
  for (std::vector<AgentIndex>* list : {&special_, &failed_}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
}

void Choice::add(const std::string& id) {
  const auto found = model_.agent_ids.find(id);
  if (found == model_.agent_ids.end()) return;
  if (model_.agents[found->second].group == model_.index_of(group_)) special_.push_back(found->second);
}

// All agents that remain stand out then.
void Choice::add_agents_with_volumes() {
  const auto found = model_.volume_agents.find(key_.volumes.front());
  if (found == model_.volume_agents.end()) return;
  for (const AgentIndex agent : found->second)
    if (model_.agents[agent].group == model_.index_of(group_) && has_volumes(agent))
      special_.push_back(agent);
}

bool Choice::has_volumes(AgentIndex agent) const {
  const std::vector<std::uint32_t>& there = model_.agents[agent].volumes;
  return std::includes(there.begin(), there.end(), key_.volumes.begin(), key_.volumes.end());
}

bool Choice::is_special(AgentIndex agent) const {
  return std::binary_search(special_.begin(), special_.end(), agent);
}

bool Choice::is_designated(AgentIndex agent) const {
  return std::binary_search(key_.designated.begin(), key_.designated.end(), model_.agents[agent].id);
}

Code Choice::refusal(AgentIndex agent) const {
  if (!key_.volumes.empty() && !has_volumes(agent)) return Code::kNoVolume;  // mostly there are none
  if (rest_designated_out_ && !is_designated(agent)) return Code::kDesignatedAgent;
  if (!key_.rule_strict || !members_here_) return Code::kNone;
  const bool has_member = members_->contains(agent);
  return has_member == (key_.rule == GroupRule::kSpread) ? Code::kSessionGroup : Code::kNone;
}

Tier Choice::tier(AgentIndex agent) const {
  Tier tier;
  tier.failed_on = std::binary_search(failed_.begin(), failed_.end(), agent);
  tier.not_designated = !key_.designated.empty() && !is_designated(agent);
  if (members_ != nullptr && members_->contains(agent)) {
    const auto count = static_cast<std::int64_t>(members_->at(agent));
    tier.members = key_.rule == GroupRule::kSpread ? count : -count;
  }
  return tier;
}

}  // namespace berth::placement
