// The plain scheduler's selections: of the agents that pass the filters and on which it fits, those of the
// best tier, and of them
//
//   concentrated  fewest unused capabilities (slots with some free of which nothing is asked), then least
//                 free of each slot in priority order (an agent without the slot last), then the id
//   dispersed     the same with most free (an agent without the slot last)
//   round-robin   by id, the agent whose turn it is, modulo their number; each kernel of a gang takes a turn
//   fgd, balanced the agent whose potential rises least; a fraction of one device goes to the device
//                 where it rises least
//   custom        the highest score of the group's custom selection policy; as concentrated without answer
//
// Shared with the real scheduler: the value of a potential for one node (fragmentation/).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "controller/placement/fragmentation/fragments.h"
#include "tests/unit/placement/plain_choice.h"
#include "tests/unit/placement/plain_custom.h"

namespace berth::placement::testing {

struct PlainCandidate {
  const AgentSpec* agent = nullptr;
  PlainPlace place;
};
using PlainKernels = std::vector<KernelSpec>;

// ---- concentrated and dispersed; smaller is better ----

inline std::tuple<int, std::vector<Amount>, std::string> plain_score(const PlainBooks& books,
                                                                     const AgentSpec& agent,
                                                                     const PlainKernels& kernels) {
  int unused = 0;
  std::vector<Amount> remaining;
  for (const SlotId slot : books.slot_order) {
    if (!books.counts(slot)) continue;
    const std::optional<Amount> left = books.free(agent, slot);
    if (PlainBooks::asked(kernels, slot) == 0 && left.value_or(0) > 0) ++unused;
    const Amount key = books.policy.select == Select::kDispersed ? -left.value_or(0) : left.value_or(0);
    remaining.push_back(left ? key : std::numeric_limits<Amount>::max());
  }
  return {unused, remaining, agent.id};
}

// ---- fgd and balanced ----

// The agent's GPUs: its first slot on devices in the group's priority.
inline SlotId gpu_slot(const PlainBooks& books, const AgentSpec& agent) {
  for (const SlotId slot : books.slot_order) {
    if (!books.devices(agent, slot).empty()) return slot;
  }
  return kNoSlot;
}

// What is free beside `place`, in thousandths, at most a whole one a device.
inline fragmentation::Node node_beside(const PlainBooks& books, const AgentSpec& agent,
                                       const PlainPlace& place) {
  const auto milli = [](Amount amount, Amount most) {
    return static_cast<std::int32_t>(std::clamp<Amount>(amount / 1000, 0, most));
  };
  fragmentation::Node node;
  node.model = 1;
  constexpr SlotId kCpu = 0;
  node.cpu_milli =
      milli(books.free(agent, kCpu).value_or(0) - amount_in(place, agent.id, kItself, kCpu), 100'000'000);
  const SlotId gpu = gpu_slot(books, agent);
  for (const auto& [number, device] : books.devices(agent, gpu)) {
    node.gpu_milli[static_cast<std::size_t>(node.gpus++)] =
        milli(device.free - amount_in(place, agent.id, number, gpu), fragmentation::kWholeGpu);
  }
  return node;
}

inline std::int64_t rise_of(const PlainBooks& books, const AgentSpec& agent, const PlainPlace& place) {
  const fragmentation::Node before = node_beside(books, agent, {});
  const fragmentation::Node after = node_beside(books, agent, place);
  if (books.policy.select == Select::kBalanced)
    return potential(after, books.weights) - potential(before, books.weights);
  const fragmentation::ClassMix& popular = books.popular;
  return 100 - fragmentation::fgd_score(fragments(before, popular), fragments(after, popular), popular.total);
}

// The rise; where one kernel takes a fraction of one device, on the device where it is least, the first of
// equal ones.
inline std::int64_t least_rise(const PlainBooks& books, const AgentSpec& agent, PlainPlace* place) {
  const SlotId gpu = gpu_slot(books, agent);
  std::vector<PlainHold*> on_devices;
  for (PlainHold& h : *place) {
    if (h.device != kItself) on_devices.push_back(&h);
  }
  const auto kernels =
      std::count_if(place->begin(), place->end(), [](const PlainHold& h) { return h.slot == kNoSlot; });
  const bool fraction =
      kernels == 1 && on_devices.size() == 1 && on_devices[0]->slot == gpu && on_devices[0]->amount < kUnit;
  if (!fraction) return rise_of(books, agent, *place);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::size_t best = kItself;
  for (const auto& [number, device] : books.devices(agent, gpu)) {
    if (device.free < on_devices[0]->amount) continue;
    on_devices[0]->device = number;
    const std::int64_t rise = rise_of(books, agent, *place);
    if (rise < least) least = rise, best = number;
  }
  on_devices[0]->device = best;
  return least;
}

// ---- one of all ----

// The place on the chosen agent of those in `all`, which are by id. `turn`: the group's, for round-robin.
inline PlainPlace plain_pick(const PlainBooks& books, std::vector<PlainCandidate> all,
                             const PlainKernels& kernels, std::uint64_t turn) {
  const auto best_by = [&](const auto& rank) {
    return std::min_element(all.begin(), all.end(),
                            [&](const auto& a, const auto& b) { return rank(a) < rank(b); })
        ->place;
  };
  const Select select = books.policy.select;
  if (select == Select::kRoundRobin) return all[turn % all.size()].place;
  if (select == Select::kFgd || select == Select::kBalanced) {
    std::map<std::string, std::int64_t> rises;
    for (PlainCandidate& c : all) rises[c.agent->id] = least_rise(books, *c.agent, &c.place);
    return best_by([&](const PlainCandidate& c) { return rises.at(c.agent->id); });
  }
  if (select == Select::kCustom && books.policy.custom == kCustomTaste)
    return best_by([&](const PlainCandidate& c) { return -taste(books, *c.agent, kernels); });
  return best_by([&](const PlainCandidate& c) { return plain_score(books, *c.agent, kernels); });
}

// Where kernels go that have to be on one agent; empty: nowhere.
inline PlainPlace plain_find_one(const PlainBooks& books, const PendingSpec& session,
                                 const PlainKernels& kernels, std::uint64_t turn) {
  std::vector<PlainCandidate> all;
  PlainTier best;
  for (const auto& [id, agent] : books.agents) {
    PlainCandidate candidate{&agent, {}};
    if (filtered(books, session, id) != Code::kNone) continue;
    if (books.fit(agent, kernels, &candidate.place) != Code::kNone) continue;
    const PlainTier tier = tier_of(books, session, id);
    if (all.empty() || tier < best) all.clear(), best = tier;
    if (tier == best) all.push_back(candidate);
  }
  return all.empty() ? PlainPlace{} : plain_pick(books, all, kernels, turn);
}

// The kernels of a session as they have to find places: together, or (multi-node) one after the other.
inline std::vector<PlainKernels> plain_needs(const PendingSpec& session) {
  if (session.mode == Mode::kSingleNode) return {session.kernels};
  std::vector<PlainKernels> needs;
  for (KernelSpec kernel : session.kernels) {
    const std::uint32_t count = std::exchange(kernel.count, 1);
    needs.insert(needs.end(), count, {kernel});
  }
  return needs;
}

// Where a session goes, all of it or (empty) nothing. `*failed`: the need that found no place, beside those
// before it in books.tried.
inline PlainPlace plain_find(PlainBooks& books, const PendingSpec& session, std::uint64_t turn,
                             PlainKernels* failed = nullptr) {
  books.tried.clear();
  for (const PlainKernels& need : plain_needs(session)) {
    const PlainPlace one = plain_find_one(books, session, need, turn++);
    if (one.empty() && failed != nullptr) *failed = need;
    if (one.empty() && failed == nullptr) books.tried.clear();
    if (one.empty()) return {};
    books.tried.insert(books.tried.end(), one.begin(), one.end());
  }
  return std::exchange(books.tried, {});
}

}  // namespace berth::placement::testing
