#include "controller/placement/model/members.h"

#include <algorithm>

namespace berth::placement {

namespace {

std::vector<AgentIndex> agents_of(const Live& live) {
  std::vector<AgentIndex> agents;
  for (const Live::Kernel& kernel : live.kernels.view()) agents.push_back(kernel.agent);
  std::sort(agents.begin(), agents.end());
  agents.erase(std::unique(agents.begin(), agents.end()), agents.end());
  return agents;
}

}  // namespace

void assume_members(Model& model, const Live& live, int sign) {
  if (live.session_group == 0 || live.kernels.empty()) return;
  std::map<AgentIndex, std::uint32_t>& members = model.members[live.session_group];
  for (const AgentIndex agent : agents_of(live)) {
    std::uint32_t& count = members[agent];
    BERTH_CHECK(sign > 0 || count > 0, "a member leaves an agent that has none");
    count += static_cast<std::uint32_t>(sign);
    if (count == 0) members.erase(agent);
  }
  if (members.empty()) model.members.erase(live.session_group);
}

void count_members(Model& model, const Live& live, int sign) {
  assume_members(model, live, sign);
  if (live.session_group == 0 || sign < 0) return;
  if (const auto spreads = model.strict_spreads.find(live.session_group);
      spreads != model.strict_spreads.end()) {
    for (const ClassIndex refused : spreads->second) {
      Refusal& refusal = model.refusals[model.classes[refused].refusal];
      refusal.refused_at = refusal.explained_at = Refusal::kNever;
    }
  }
  for (const AgentIndex agent : agents_of(live)) {
    if (model.agents[agent].group == kNothing) continue;
    Group& group = model.groups[model.agents[agent].group];
    if (group.waiting_for_members == 0) continue;
    ++group.gains;  // an agent that was closed to a strict pack may be open now
    group.touch();
  }
}

}  // namespace berth::placement
