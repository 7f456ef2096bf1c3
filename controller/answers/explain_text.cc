#include "controller/answers/explain_text.h"

#include <algorithm>
#include <map>

#include "controller/placement/model/model.h"

namespace berth::placement {

namespace {

constexpr std::size_t kNamed = 4;  // sessions in one line

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : between).append(part);
  return text;
}

std::string name_of(const SessionId& id, const NameSession& name) {
  std::string text = name(id);
  return text.empty() ? "another session" : text;
}

std::string amount_of(const Cluster& cluster, SlotId slot, Amount amount) {
  return format_amount_human(cluster.slot_kind(slot), amount);
}

// "demo-1, demo-2 and 3 more"; those that the viewer may not see are counted only.
std::string held_by(const std::vector<Holder>& holders, const NameSession& name) {
  std::vector<std::string> named;
  std::size_t more = 0;
  for (const Holder& holder : holders) {
    const std::string text = name(holder.session);
    if (text.empty() || named.size() == kNamed)
      ++more;
    else
      named.push_back(text);
  }
  if (named.empty()) return std::to_string(more) + (more == 1 ? " other session" : " other sessions");
  return join(named, ", ") + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

std::string lack_line(const Cluster& cluster, AgentIndex agent, const SlotLack& lack,
                      const NameSession& name) {
  const auto amount = [&](Amount value) { return amount_of(cluster, lack.slot, value); };
  std::string line(cluster.slot_name(lack.slot));
  line += ": asks " + amount(lack.asked);
  const std::string agent_name(cluster.agent_name(agent));
  if (lack.on_devices && lack.best_device != kAgentItself) {
    const std::string device(cluster.device_name(agent, lack.best_device));
    line += ", the best single device has " + amount(std::max<Amount>(lack.best_device_free, 0)) + " free (" +
            agent_name + "/" + device + ")";
    if (lack.free >= lack.asked) line += ", all its devices " + amount(lack.free);
  } else {
    line += ", " + agent_name + " has " + amount(std::max<Amount>(lack.free, 0)) + " free";
  }
  const std::vector<Holder> holders = holders_of(cluster, agent, lack.slot);
  return holders.empty() ? line : line + "; held by " + held_by(holders, name);
}

// "of 40 agents: 30 no-capacity, 10 architecture"; the furthest stage first.
std::string agents_line(const Why& why) {
  std::map<Code, std::size_t, std::greater<>> counts;
  for (const AgentWhy& agent : why.agents) ++counts[agent.code];
  std::vector<std::string> parts;
  if (const auto would = counts.find(Code::kNone); would != counts.end()) {
    parts.push_back(std::to_string(would->second) + " would do");
    counts.erase(would);
  }
  for (const auto& [code, count] : counts) {
    parts.push_back(std::to_string(count) + " " + std::string(to_string(code)));
  }
  return "of " + std::to_string(why.agents.size()) + " agents: " + join(parts, ", ");
}

std::string set_text(const SessionSet& set, const NameSession& name, std::string_view one,
                     std::string_view several) {
  std::vector<std::string> names;
  for (const SessionId& id : set) names.push_back(name_of(id, name));
  const std::string last = names.back();
  names.pop_back();
  if (names.empty()) return last + " " + std::string(one);
  return join(names, ", ") + " and " + last + " " + std::string(several);
}

void add_sets(const SessionSets& found, const NameSession& name, std::string_view one,
              std::string_view several, std::vector<std::string>* lines) {
  for (const SessionSet& set : found.sets) lines->push_back("starts if " + set_text(set, name, one, several));
}

std::string less_line(const Cluster& cluster, const Less& less) {
  std::vector<std::string> parts;
  for (const LessAmount& amount : less.amounts) {
    parts.push_back(amount_of(cluster, amount.slot, amount.asked - amount.amount) + " " +
                    std::string(cluster.slot_name(amount.slot)) + " less (" +
                    amount_of(cluster, amount.slot, amount.amount) + ")");
  }
  return "fits with " + join(parts, " and ");
}

}  // namespace

std::vector<Holder> holders_of(const Cluster& cluster, AgentIndex agent, SlotId slot) {
  const Model& model = cluster.model();
  std::map<SessionId, Amount> amounts;
  std::vector<std::uint32_t> live = model.agents[agent].holders;
  std::sort(live.begin(), live.end());
  live.erase(std::unique(live.begin(), live.end()), live.end());
  for (const LiveIndex index : live) {
    for (const Live::Kernel& kernel : model.live[index].kernels.view()) {
      if (kernel.agent != agent) continue;
      for (const SlotAmount& held : model.requirements[kernel.requirement].slots) {
        if (held.slot == slot) amounts[model.live[index].id] += held.amount;
      }
    }
  }
  std::vector<Holder> holders;
  for (const auto& [id, amount] : amounts) holders.push_back({id, amount});
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.amount > b.amount; });
  return holders;
}

std::vector<std::string> explain_lines(const Cluster& cluster, const Why& why, const NameSession& name) {
  std::vector<std::string> lines;
  if (!why.waits) return lines;
  std::string reason(why.reason.code == Code::kNone ? "fits now: the next pass starts it"
                                                    : to_string(why.reason.code));
  if (why.reason.slot != kNoSlot) reason += " " + std::string(cluster.slot_name(why.reason.slot));
  if (!why.head.is_nil()) reason += ": " + name_of(why.head, name) + " is before it and waits for room";
  lines.push_back(reason);
  lines.push_back("position " + std::to_string(why.position) + " of " + std::to_string(why.queue_length) +
                  ", " + std::to_string(why.position - 1) + " before it");
  for (const AgentWhy& agent : why.agents) {
    if (agent.agent != why.nearest) continue;
    for (const SlotLack& lack : agent.lacks) lines.push_back(lack_line(cluster, agent.agent, lack, name));
  }
  if (why.agents.size() > 1) lines.push_back(agents_line(why));
  return lines;
}

std::vector<std::string> unblock_lines(const Cluster& cluster, const Unblock& unblock,
                                       const NameSession& name) {
  std::vector<std::string> lines;
  if (!unblock.waits || unblock.starts_now) return lines;
  if (!unblock.proved) return {"the cell is too large to try what would let it start"};
  if (!unblock.victims.empty()) {
    std::vector<Holder> victims;
    for (const SessionId& victim : unblock.victims) victims.push_back({victim, 0});
    const std::string_view go = victims.size() == 1 ? " has to go first" : " have to go first";
    lines.push_back("the next pass holds a place for it: " + held_by(victims, name).append(go));
  }
  for (const LimitRaise& raise : unblock.raises) {
    const bool slot = raise.slot != kNoSlot;
    lines.push_back(raise.name + " +" +
                    (slot ? amount_of(cluster, raise.slot, raise.raise) : std::to_string(raise.raise)));
  }
  if (!unblock.raises.empty())
    lines.push_back(unblock.starts_when_raised ? "and then it starts" : "and then it still waits");
  add_sets(unblock.ends, name, "ends", "end", &lines);
  add_sets(unblock.leaves, name, "leaves the queue", "leave the queue", &lines);
  for (const Less& less : unblock.less) lines.push_back(less_line(cluster, less));
  if (unblock.fits_alone && unblock.raises.empty() && unblock.leaves.sets.empty())
    lines.push_back("fits as soon as it is its turn");
  if (!unblock.ends.complete && unblock.ends.sets.empty())
    lines.push_back("who would have to end was not found within the bound");
  if (unblock.concentrated && !lines.empty()) {
    lines.push_back("its group's own policy (select custom) was not asked: this holds as if it concentrated");
  }
  return lines;
}

}  // namespace berth::placement
