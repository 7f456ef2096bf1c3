// Sessions that hold slots, and what groups know of them together: members, amounts by user, declared ends.
#include <algorithm>
#include <map>
#include <set>

#include "controller/placement/audit/parts.h"

namespace berth::placement::audit {

namespace {

std::string check_kernels(const Model& model, LiveIndex index) {
  const Live& live = model.live[index];
  const std::string where = "live session " + to_string(live.id);
  const auto kernels = live.kernels.view();
  if (kernels.empty()) return where + ": holds nothing";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Live::Kernel& kernel = kernels[i];
    if (i > 0 && kernels[i - 1].kernel >= kernel.kernel) return where + ": its kernels are out of order";
    if (kernel.agent >= model.agents.size() || kernel.requirement >= model.requirements.size())
      return where + ": a kernel names an agent or a requirement that is not there";
    const Agent& agent = model.agents[kernel.agent];
    if (std::find(agent.holders.begin(), agent.holders.end(), index) == agent.holders.end())
      return where + ": it is no holder of agent " + agent.id;
    for (const DeviceShare& share : kernel.devices.view())
      if (share.device >= agent.devices.size()) return where + ": it holds a device that is not there";
  }
  return {};
}

// Sums over all live sessions.
struct Holdings {
  std::map<std::uint32_t, std::map<AgentIndex, std::uint32_t>> members;
  std::vector<std::map<std::uint32_t, std::vector<Amount>>> occupied_by_user;  // by group
  std::vector<std::set<std::pair<Timestamp, LiveIndex>>> ends;                 // by group
};

void add(const std::vector<Amount>& amounts, std::vector<Amount>* sum) {
  sum->resize(std::max(sum->size(), amounts.size()), 0);
  for (std::size_t slot = 0; slot < amounts.size(); ++slot) (*sum)[slot] += amounts[slot];
}

void add_live(const Model& model, LiveIndex index, Holdings* sums) {
  const Live& live = model.live[index];
  std::set<AgentIndex> agents;
  for (const Live::Kernel& kernel : live.kernels.view()) {
    agents.insert(kernel.agent);
    if (kernel.group >= model.groups.size()) continue;
    std::vector<Amount>& occupied = sums->occupied_by_user[kernel.group][live.user];
    occupied.resize(model.slots.size(), 0);
    for (const SlotAmount& slot : model.requirements[kernel.requirement].slots)
      occupied[slot.slot] += slot.amount;
    if (model.groups[kernel.group].policy.order == Order::kBackfill)
      sums->ends[kernel.group].insert({live.ends, index});
  }
  if (live.session_group == 0) return;
  for (const AgentIndex agent : agents) ++sums->members[live.session_group][agent];
}

Amount amount_at(const std::vector<Amount>& amounts, std::size_t slot) {
  return slot < amounts.size() ? amounts[slot] : 0;
}

std::string check_users(const Model& model, const Group& group,
                        std::map<std::uint32_t, std::vector<Amount>>& recount) {
  for (const auto& [user, amounts] : group.occupied_by_user)
    recount.try_emplace(user);  // a user may occupy nothing
  for (const auto& [user, counted] : recount) {
    const auto has = group.occupied_by_user.find(user);
    const std::vector<Amount> occupied =
        has == group.occupied_by_user.end() ? std::vector<Amount>() : has->second;
    for (std::size_t slot = 0; slot < model.slots.size(); ++slot) {
      const std::string what = model.slots[slot].name + " occupied by user " + model.names[user];
      if (auto text =
              differs("group " + group.name, what, amount_at(occupied, slot), amount_at(counted, slot));
          !text.empty())
        return text;
    }
  }
  return {};
}

}  // namespace

std::string live(const Model& model, LiveIndex begin, LiveIndex end) {
  bool wrong = false;
  const std::vector<bool> is_free = free_rows(model.live.size(), model.free_live, &wrong);
  if (wrong) return "live sessions: a free row is listed twice";
  if (auto text = differs("live sessions", "number of ids", model.live_ids.size() + model.free_live.size(),
                          model.live.size());
      !text.empty())
    return text;
  for (LiveIndex index = begin; index < end; ++index) {
    if (is_free[index]) continue;
    if (model.find_live(model.live[index].id) != index)
      return "live session " + to_string(model.live[index].id) + ": not found by its id";
    if (auto text = check_kernels(model, index); !text.empty()) return text;
  }
  return {};
}

std::string holdings(const Model& model) {
  Holdings sums;
  sums.occupied_by_user.resize(model.groups.size());
  sums.ends.resize(model.groups.size());
  for (LiveIndex index = 0; index < model.live.size(); ++index) add_live(model, index, &sums);
  for (GroupIndex i = 0; i < model.groups.size(); ++i) {
    const Group& group = model.groups[i];
    for (const auto& [user, amounts] : group.occupied_elsewhere)
      add(amounts, &sums.occupied_by_user[i][user]);
    if (auto text = check_users(model, group, sums.occupied_by_user[i]); !text.empty()) return text;
    if (group.ends != sums.ends[i]) return "group " + group.name + ": declared ends are miscounted";
  }
  return model.members == sums.members ? std::string() : "members of session groups are miscounted";
}

}  // namespace berth::placement::audit
