// Why the plain scheduler refuses: the last stage that any agent reached, and of the agents that reached it
// the slot that the one lacks which lacks least: fewest slots, then the smallest max(missing / asked), then
// the id (SCENARIO.md).
#pragma once

#include <algorithm>

#include "tests/unit/placement/plain_choice.h"

namespace berth::placement::testing {

struct PlainLack {
  Reason reason;
  std::size_t slots = 0;
  Amount missing = 0, asked = 1;  // the worst of them
};

// The most of the slot that the agent's devices could give, up to what is asked; the quantum is 0.1 where
// there is one.
inline Amount most_on_devices(const PlainBooks& books, const AgentSpec& agent, SlotId slot, Amount asked) {
  std::vector<std::vector<MapShare>> ignored;
  Amount most = std::min(books.free(agent, slot).value_or(0), asked);
  while (most > 0 && !books.pack(agent, {{{{slot, most}}, "", 1}}, slot, &ignored)) most -= 100'000;
  return most;
}

inline PlainLack what_lacks(const PlainBooks& books, const AgentSpec& agent,
                            const std::vector<KernelSpec>& kernels, Code code) {
  PlainLack lack;
  lack.reason = {code, kNoSlot};
  if (code != Code::kNoCapacity && code != Code::kNoDevice) return lack;
  SlotId together =
      kNoSlot;  // kernels that only fail together: every slot on devices, of which nothing is missing
  std::size_t on_devices = 0;
  for (const SlotId slot : books.slot_order) {
    const Amount asked = PlainBooks::asked(kernels, slot);
    const bool devices = asked > 0 && !books.devices(agent, slot).empty();
    if (devices && on_devices++ == 0) together = slot;
    const bool by_device = code == Code::kNoDevice && devices;
    const Amount most =
        by_device ? most_on_devices(books, agent, slot, asked) : books.free(agent, slot).value_or(0);
    if (asked == 0 || asked <= most) continue;
    const Amount missing = asked - std::max<Amount>(most, 0);
    if (lack.slots++ == 0) lack.reason.slot = slot;
    const bool worse =
        static_cast<__int128>(missing) * lack.asked > static_cast<__int128>(lack.missing) * asked;
    if (worse) lack.missing = missing, lack.asked = asked;
  }
  if (lack.slots == 0) lack.reason.slot = together, lack.slots = on_devices;
  return lack;
}

// A kernel may ask for one slot of each exclusive set: the second one that it names is to blame.
inline Reason plain_exclusive(const GroupPolicy& policy, const std::vector<SlotAmount>& asked) {
  for (const std::vector<SlotId>& set : policy.exclusive) {
    std::vector<SlotId> named;
    for (const SlotAmount& a : asked) {
      if (a.amount > 0 && std::find(set.begin(), set.end(), a.slot) != set.end()) named.push_back(a.slot);
    }
    if (named.size() > 1) return {Code::kExclusiveSlots, named[1]};
  }
  return {};
}

inline Reason plain_reason(const PlainBooks& books, const PendingSpec& session,
                           const std::vector<KernelSpec>& kernels) {
  Code last = Code::kNoAgents;
  std::optional<PlainLack> least;
  const auto less = [](const PlainLack& a, const PlainLack& b) {
    if (a.slots != b.slots) return a.slots < b.slots;
    return static_cast<__int128>(a.missing) * b.asked < static_cast<__int128>(b.missing) * a.asked;
  };
  for (const auto& [id, agent] : books.agents) {
    PlainPlace ignored;
    Code code = books.fit(agent, kernels, &ignored);
    const Code no = filtered(books, session, id);
    if (no != Code::kNone && code != Code::kNoAgents && code != Code::kArchitecture) code = no;
    if (code < last) continue;
    if (code > last) least.reset();
    last = code;
    const PlainLack lack = what_lacks(books, agent, kernels, code);
    if (!least || less(lack, *least)) least = lack;
  }
  return least ? least->reason : Reason{last, kNoSlot};
}

}  // namespace berth::placement::testing
