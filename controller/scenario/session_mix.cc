#include "controller/scenario/session_mix.h"

#include <algorithm>
#include <map>
#include <set>

namespace berth::placement {

namespace {

std::set<std::string> device_slots(const Scenario& scenario, std::string_view group) {
  std::set<std::string> slots;
  for (const AgentSpec& agent : scenario.agents) {
    if (agent.group != group) continue;
    for (const DeviceSpec& device : agent.devices) {
      for (const SlotAmount& has : device.slots) slots.emplace(scenario.slot_types.slot_name(has.slot));
    }
  }
  return slots;
}

std::int32_t milli(Amount amount, Amount most) {
  return static_cast<std::int32_t>(std::clamp<Amount>(amount / (kUnit / 1000), 0, most));
}

}  // namespace

std::vector<fragmentation::ClassShare> session_mix(const Scenario& scenario, std::string_view group) {
  constexpr Amount kMostMilli = 100'000'000;
  const std::set<std::string> on_devices = device_slots(scenario, group);
  std::map<fragmentation::Ask, std::int64_t> counts;
  for (const ScenarioSession& session : scenario.sessions) {
    if (session.group != group) continue;
    for (const ScenarioKernels& kernels : session.kernels) {
      fragmentation::Ask ask;
      for (const auto& [slot, amount] : kernels.slots) {
        if (slot == "cpu") ask.cpu_milli = milli(amount, kMostMilli);
        if (!on_devices.contains(slot)) continue;
        const std::int32_t gpu = milli(amount, kMostMilli);
        ask.gpus = std::max(1, gpu / fragmentation::kWholeGpu);
        ask.gpu_milli = std::min(gpu, fragmentation::kWholeGpu);
      }
      if (ask.gpu_milli == 0) ask.gpus = 0;
      counts[ask] += kernels.count;
    }
  }
  std::vector<fragmentation::ClassShare> mix;
  mix.reserve(counts.size());
  for (const auto& [ask, count] : counts) mix.push_back({ask, count});
  return mix;
}

}  // namespace berth::placement
