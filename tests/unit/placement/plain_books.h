// The plain scheduler's books: who holds what, and what fits on an agent. Nothing is kept up to date: each
// question sums up all that is held. Shared with the real scheduler: value types and the device maps of one
// slot on one agent (pack_devices.h, which has tables and an oracle of its own).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "controller/placement/devices/pack_devices.h"
#include "controller/placement/fragmentation/balanced.h"
#include "controller/placement/types.h"

namespace berth::placement::testing {

inline constexpr std::size_t kItself = 0xFFFF;  // no device: the agent itself
struct PlainHold {
  std::string agent;
  std::size_t device = kItself;  // place in AgentSpec::devices
  SlotId slot = kNoSlot;         // kNoSlot: a kernel's container, one
  Amount amount = 0;
};
using PlainPlace = std::vector<PlainHold>;  // of a session: by kernel its container, then its shares by slot

enum class PlainState { kWaiting, kReserved, kLive };
struct PlainSession {
  PendingSpec spec;
  PlainState state = PlainState::kWaiting;
  PlainPlace place;  // what it holds; of a reserved one, what is held for it
  Timestamp started = LiveFacts::kNotStarted;
  Timestamp ends = kNeverEnds;  // as declared
  bool leaving = false;
};

struct PlainSlot {
  std::string name;
  SlotKind kind;
};

inline Amount amount_of(const std::vector<SlotAmount>& amounts, SlotId slot) {
  Amount sum = 0;
  for (const SlotAmount& a : amounts) sum += a.slot == slot ? a.amount : 0;
  return sum;
}
inline Amount amount_in(const PlainPlace& place, const std::string& agent, std::size_t device, SlotId slot) {
  Amount sum = 0;
  for (const PlainHold& h : place)
    sum += h.slot == slot && h.device == device && h.agent == agent ? h.amount : 0;
  return sum;
}
inline bool names_slot(const std::vector<SlotAmount>& amounts, SlotId slot) {
  return std::any_of(amounts.begin(), amounts.end(), [&](const SlotAmount& a) { return a.slot == slot; });
}

// What a kernel may write counts in capacity alone, unless the group's priority names it.
inline bool plain_counts(const PlainSlot& slot, const std::vector<std::string>& priority) {
  return slot.name != "disk" || std::count(priority.begin(), priority.end(), "disk") > 0;
}

// Slots as the group's priority has them: an entry stands for that slot or all of that device; the others by
// name, and last what counts in capacity alone.
inline std::vector<SlotId> plain_slot_order(const std::vector<PlainSlot>& slots,
                                            const std::vector<std::string>& priority) {
  std::vector<std::tuple<bool, std::size_t, std::string, SlotId>> all;
  for (SlotId slot = 0; slot < slots.size(); ++slot) {
    const std::string& name = slots[slot].name;
    std::size_t rank = 0;
    while (rank < priority.size() && name != priority[rank] && !name.starts_with(priority[rank] + "."))
      ++rank;
    all.emplace_back(!plain_counts(slots[slot], priority), rank, name, slot);
  }
  std::sort(all.begin(), all.end());
  std::vector<SlotId> result;
  for (const auto& [last, rank, name, slot] : all) result.push_back(slot);
  return result;
}

struct PlainBooks {
  std::vector<PlainSlot> slots;
  GroupPolicy policy;
  std::vector<SlotId>
      slot_order;  // of the policy, as the next two: what select fgd and balanced expect (least_rise.h)
  fragmentation::ClassMix popular;
  fragmentation::Weights weights;
  std::map<std::string, AgentSpec> agents;
  std::vector<PlainSession> sessions;
  Timestamp now = 0;
  // What if: kernels of the session in hand have these places; those have left; all are over that declared to
  // end by then; or there is no more room than beside what will be held later.
  PlainPlace tried;
  std::set<SessionId> left;
  Timestamp over_by = INT64_MIN;
  PlainPlace later;

  bool counts(SlotId slot) const { return plain_counts(slots[slot], policy.slot_priority); }
  PlainSession* find_session(const SessionId& id) {
    const auto at = std::find_if(sessions.begin(), sessions.end(),
                                 [&](const PlainSession& s) { return s.spec.id == id; });
    return at == sessions.end() ? nullptr : &*at;
  }
  bool is_over(const PlainSession& s) const { return s.state == PlainState::kLive && s.ends <= over_by; }

  // Also what is held for reserved sessions, so that nobody else takes it.
  Amount used(const std::string& agent, std::size_t device, SlotId slot) const {
    Amount sum = 0;
    for (const PlainSession& s : sessions) {
      if (!s.place.empty() && !is_over(s) && !left.contains(s.spec.id))
        sum += amount_in(s.place, agent, device, slot);
    }
    return std::max(sum, amount_in(later, agent, device, slot)) + amount_in(tried, agent, device, slot);
  }
  std::int64_t containers(const AgentSpec& agent) const {
    return agent.containers + used(agent.id, kItself, kNoSlot);
  }

  // Those that have the slot.
  std::vector<std::pair<std::size_t, DeviceFree>> devices(const AgentSpec& agent, SlotId slot) const {
    std::vector<std::pair<std::size_t, DeviceFree>> result;
    for (std::size_t i = 0; i < agent.devices.size(); ++i) {
      const DeviceSpec& d = agent.devices[i];
      if (!names_slot(d.slots, slot)) continue;
      const Amount capacity = amount_of(d.slots, slot);
      result.push_back({i, {capacity, capacity - amount_of(d.used, slot) - used(agent.id, i, slot), d.numa}});
    }
    return result;
  }
  // nullopt: the agent has no such slot.
  std::optional<Amount> free(const AgentSpec& agent, SlotId slot) const {
    const auto on_devices = devices(agent, slot);
    if (on_devices.empty() && !names_slot(agent.slots, slot)) return std::nullopt;
    Amount sum = amount_of(agent.slots, slot) - amount_of(agent.used, slot) - used(agent.id, kItself, slot);
    for (const auto& [number, device] : on_devices) sum += device.free;
    return sum;
  }
  Amount capacity(const AgentSpec& agent, SlotId slot) const {
    Amount sum = amount_of(agent.slots, slot);
    for (const DeviceSpec& d : agent.devices) sum += amount_of(d.slots, slot);
    return sum;
  }
  static Amount asked(const std::vector<KernelSpec>& kernels, SlotId slot) {
    Amount sum = 0;
    for (const KernelSpec& kernel : kernels) sum += amount_of(kernel.slots, slot) * kernel.count;
    return sum;
  }

  // Whether the kernels fit on this agent together, and what they would hold; else the first stage that says
  // no.
  Code fit(const AgentSpec& agent, const std::vector<KernelSpec>& kernels, PlainPlace* place) const {
    if (!agent.schedulable || agent.draining) return Code::kNoAgents;
    std::int64_t all = containers(agent);
    for (const KernelSpec& kernel : kernels) {
      if (!kernel.arch.empty() && kernel.arch != agent.arch) return Code::kArchitecture;
      all += kernel.count;
    }
    if (all > agent.max_containers) return Code::kContainerLimit;
    for (SlotId slot = 0; slot < slots.size(); ++slot) {
      if (asked(kernels, slot) > 0 && free(agent, slot).value_or(0) < asked(kernels, slot))
        return Code::kNoCapacity;
    }
    Maps maps;
    for (SlotId slot = 0; slot < slots.size(); ++slot) {
      if (asked(kernels, slot) == 0 || devices(agent, slot).empty()) continue;
      if (!pack(agent, kernels, slot, &maps[slot])) return Code::kNoDevice;
    }
    place->clear();
    for (std::size_t number = 0; const KernelSpec& kernel : kernels) {
      for (std::uint32_t i = 0; i < kernel.count; ++i) give(agent, kernel, maps, number++, place);
    }
    return Code::kNone;
  }
  using Maps = std::map<SlotId, std::vector<std::vector<MapShare>>>;  // by slot and kernel
  bool pack(const AgentSpec& agent, const std::vector<KernelSpec>& kernels, SlotId slot,
            std::vector<std::vector<MapShare>>* maps) const {
    std::vector<DeviceFree> frees;
    for (const auto& [number, device] : devices(agent, slot)) frees.push_back(device);
    std::vector<Amount> asks;
    for (const KernelSpec& kernel : kernels)
      asks.insert(asks.end(), kernel.count, amount_of(kernel.slots, slot));
    return DevicePacker().pack(map_policy(slot), frees, asks, maps);
  }
  void give(const AgentSpec& agent, const KernelSpec& kernel, const Maps& maps, std::size_t number,
            PlainPlace* place) const {
    place->push_back({agent.id, kItself, kNoSlot, 1});
    for (SlotId slot = 0; slot < slots.size(); ++slot) {
      const Amount amount = amount_of(kernel.slots, slot);
      if (amount > 0 && !maps.contains(slot)) place->push_back({agent.id, kItself, slot, amount});
      if (amount == 0 || !maps.contains(slot)) continue;
      for (const MapShare& share : maps.at(slot)[number])
        place->push_back({agent.id, devices(agent, slot)[share.device].first, slot, share.amount});
    }
  }
  MapPolicy map_policy(SlotId slot) const {
    DevicePolicy devices = default_device_policy(slots[slot].name, slots[slot].kind);
    for (const SlotDevicePolicy& entry : policy.devices) {
      if (entry.slot == slot) devices = entry.policy;
    }
    return {slots[slot].kind, devices.spread, devices.quantum, devices.allow_fragments, 0};
  }
};

}  // namespace berth::placement::testing
