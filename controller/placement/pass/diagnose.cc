#include "controller/placement/pass/diagnose.h"

#include <algorithm>

namespace berth::placement {

namespace {

Amount asked_of(const Need& need, SlotId slot) {
  for (const SlotAmount& asked : need.sums) {
    if (asked.slot == slot) return asked.amount;
  }
  return 0;
}

// Enough in sum, on no allowed set of devices: the slots whose devices cannot give it alone; for kernels that
// only fail together, every slot on devices.
void device_shortages(const Model& model, const Agent& agent, const Need& need, Fitter& fitter,
                      Verdict* verdict) {
  const Group& group = model.groups[agent.group];
  for (const bool alone : {true, false}) {
    for (const SlotId slot : group.slot_order) {
      const Amount asked = asked_of(need, slot);
      if (asked == 0 || !on_devices(cells_of(agent, slot))) continue;
      const Amount most = fitter.most(model, agent, slot, asked);
      if (!alone || most < asked) verdict->shortages.push_back({slot, asked, asked - most});
    }
    if (!verdict->shortages.empty()) return;
  }
}

}  // namespace

bool judge_into(const Model& model, const Agent& agent, const Need& need, const Choice& choice,
                Fitter& fitter, Code least, Verdict* verdict) {
  verdict->agent = static_cast<AgentIndex>(&agent - model.agents.data());
  verdict->shortages.clear();
  verdict->code = fitter.fit(model, agent, need);
  if (verdict->code != Code::kNoAgents && verdict->code != Code::kArchitecture) {
    if (const Code filtered = choice.refusal(verdict->agent); filtered != Code::kNone)
      verdict->code = filtered;
  }
  if (verdict->code < least) return false;
  if (verdict->code == Code::kNoCapacity) {
    for (const SlotId slot : model.groups[agent.group].slot_order) {
      const Amount asked = asked_of(need, slot);
      const Amount free = asked == 0 ? 0 : free_of(cells_of(agent, slot));
      if (free < asked) verdict->shortages.push_back({slot, asked, asked - std::max<Amount>(free, 0)});
    }
  } else if (verdict->code == Code::kNoDevice) {
    device_shortages(model, agent, need, fitter, verdict);
  }
  return true;
}

Verdict judge(const Model& model, const Agent& agent, const Need& need, const Choice& choice,
              Fitter& fitter) {
  Verdict verdict;
  judge_into(model, agent, need, choice, fitter, Code::kNone, &verdict);
  return verdict;
}

bool lacks_less(const Model& model, const Verdict& a, const Verdict& b) {
  if (a.shortages.size() != b.shortages.size()) return a.shortages.size() < b.shortages.size();
  const auto worst = [](const Verdict& verdict) {
    Shortage most;
    for (const Shortage& s : verdict.shortages) {
      const bool more = most.slot == kNoSlot || static_cast<__int128>(s.missing) * most.asked >
                                                    static_cast<__int128>(most.missing) * s.asked;
      if (more) most = s;
    }
    return most;
  };
  const Shortage worst_a = worst(a);
  const Shortage worst_b = worst(b);
  const __int128 left = static_cast<__int128>(worst_a.missing) * worst_b.asked;
  const __int128 right = static_cast<__int128>(worst_b.missing) * worst_a.asked;
  if (left != right) return left < right;
  return model.agents[a.agent].label < model.agents[b.agent].label;
}

bool says_more(const Model& model, const Verdict& verdict, const Verdict& best) {
  if (verdict.code < best.code || verdict.code == Code::kNoAgents) return false;
  return verdict.code > best.code || best.agent == kNoAgent || lacks_less(model, verdict, best);
}

Verdict diagnose(const Model& model, const Group& group, const Need& need, const ClassKey& key,
                 Fitter& fitter) {
  const Choice choice(model, group, key);
  Verdict best;
  Verdict verdict;
  best.code = Code::kNoAgents;
  for (const auto& [label, index] : group.agents) {
    if (!judge_into(model, model.agents[index], need, choice, fitter, best.code, &verdict)) continue;
    if (says_more(model, verdict, best)) std::swap(best, verdict);
  }
  return best;
}

Reason reason_of(const Verdict& verdict) {
  return {verdict.code, verdict.shortages.empty() ? kNoSlot : verdict.shortages.front().slot};
}

}  // namespace berth::placement
