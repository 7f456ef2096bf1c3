// The scheduler in its plainest form: no index, no classes, nothing remembered; the property test compares the real one with
// it. It shares the device maps (tables of their own) and the value types. clang-format off: read it as one piece.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "controller/scheduler/pack_devices.h"
#include "tests/unit/scheduler/plain_choice.h"
#include "tests/unit/scheduler/support.h"

namespace berth::scheduler::testing {

class Plain {
 public:
  explicit Plain(TestCluster& names) : names_(names) {}

  void agent(const AgentSpec& spec) { agents_[spec.id] = spec; }
  void gone(const std::string& id) { agents_.erase(id); }
  AgentSpec* find_agent(const std::string& id) { return agents_.contains(id) ? &agents_[id] : nullptr; }
  void wait(const PendingSpec& spec) { waiting_.push_back(spec), choice_.group_of[spec.id] = spec.session_group.name; }
  void withdraw(const SessionId& id) {
    std::erase_if(waiting_, [&](const PendingSpec& s) { return s.id == id; });
  }
  void end(const SessionId& id) {
    std::erase_if(held_, [&](const Held& held) { return held.session == id; });
  }

  // All decisions of one pass, told as TestCluster::pass tells them with report_all.
  Lines pass(const GroupPolicy& policy, bool count_retries, Timestamp now) {
    policy_ = policy, now_ = now;
    Lines lines;
    std::vector<PendingSpec> order = waiting_;
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    SessionId head;
    for (const PendingSpec& session : order) {
      const std::string name = session_name(session.id);
      Reason reason = session.hold;
      if (reason.code == Code::kNone && !head.is_nil()) reason = {Code::kBehindHead, kNoSlot};
      std::string placed;
      if (reason.code == Code::kNone) reason = try_all(session, &placed);
      if (reason.code == Code::kNone) {
        withdraw(session.id);
        lines.push_back(name + " ->" + placed);
        continue;
      }
      if (is_blocking(reason.code) && policy.head_of_line != HeadOfLine::kGreedy && !demoted(session)) head = session.id;
      lines.push_back(name + ": " + std::string(to_string(reason.code)) +
                      (reason.slot == kNoSlot ? "" : " " + std::string(names_.cluster.slot_name(reason.slot))));
    }
    for (PendingSpec& session : waiting_) {
      if (session.id != head || !count_retries || policy.head_of_line != HeadOfLine::kSkipAfterN || policy.skip_after == 0) continue;
      lines.push_back(session_name(session.id) + " retried " + std::to_string(++session.retries));
    }
    return lines;
  }

 private:
  struct Held {
    SessionId session;
    std::string agent;
    std::string device;     // "" = the agent itself
    SlotId slot;
    Amount amount;
    bool container;         // the one entry of a kernel that counts
  };
  struct Lack {
    std::size_t slots = 0;
    Amount missing = 0, asked = 1;
    std::string agent;
    Reason reason;
  };

  bool demoted(const PendingSpec& s) const {
    return policy_.head_of_line == HeadOfLine::kSkipAfterN && policy_.skip_after > 0 && s.retries >= policy_.skip_after;
  }
  std::tuple<std::int64_t, bool, std::int64_t, std::int64_t, SessionId> place(const PendingSpec& s) const {
    const std::int64_t sign = policy_.order == Order::kLifo ? -1 : 1;
    return {-static_cast<std::int64_t>(s.priority), demoted(s), sign * s.created, sign * static_cast<std::int64_t>(s.arrival), s.id};
  }

  Amount used(const std::string& agent, const std::string& device, SlotId slot) const {
    Amount sum = 0;
    for (const Held& held : held_) {
      if (held.agent == agent && held.device == device && held.slot == slot) sum += held.amount;
    }
    return sum;
  }
  static Amount amount_in(const std::vector<SlotAmount>& amounts, SlotId slot) {
    Amount sum = 0;
    for (const SlotAmount& a : amounts) sum += a.slot == slot ? a.amount : 0;
    return sum;
  }
  static bool names_slot(const std::vector<SlotAmount>& amounts, SlotId slot) {
    return std::any_of(amounts.begin(), amounts.end(), [&](const SlotAmount& a) { return a.slot == slot; });
  }
  std::vector<std::pair<std::string, DeviceFree>> devices(const AgentSpec& agent, SlotId slot) const {
    std::vector<std::pair<std::string, DeviceFree>> result;
    for (const DeviceSpec& d : agent.devices) {
      if (!names_slot(d.slots, slot)) continue;
      const Amount capacity = amount_in(d.slots, slot);
      result.push_back({d.id, {capacity, capacity - amount_in(d.used, slot) - used(agent.id, d.id, slot), d.numa}});
    }
    return result;
  }
  // nullopt: the agent has no such slot.
  std::optional<Amount> free(const AgentSpec& agent, SlotId slot) const {
    const auto on_devices = devices(agent, slot);
    if (on_devices.empty() && !names_slot(agent.slots, slot)) return std::nullopt;
    Amount sum = amount_in(agent.slots, slot) - amount_in(agent.used, slot) - used(agent.id, "", slot);
    for (const auto& [id, device] : on_devices) sum += device.free;
    return sum;
  }

  // What the kernels together hold on this agent if they fit; else the code.
  Code fit(const AgentSpec& agent, const std::vector<KernelSpec>& kernels, const SessionId& id, std::string* text) {
    if (!agent.schedulable || agent.draining) return Code::kNoAgents;
    std::uint32_t containers = agent.containers;
    for (const Held& held : held_) containers += held.agent == agent.id && held.container;
    std::map<SlotId, Amount> sums;
    for (const KernelSpec& kernel : kernels) {
      if (!kernel.arch.empty() && kernel.arch != agent.arch) return Code::kArchitecture;
      containers += kernel.count;
      for (const SlotAmount& a : kernel.slots) sums[a.slot] += a.amount * kernel.count;
    }
    if (containers > agent.max_containers) return Code::kContainerLimit;
    for (const auto& [slot, amount] : sums) {
      if (amount > 0 && free(agent, slot).value_or(0) < amount) return Code::kNoCapacity;
    }
    Maps maps;
    for (const auto& [slot, amount] : sums) {
      if (amount > 0 && !devices(agent, slot).empty() && !pack(agent, kernels, slot, &maps[slot])) return Code::kNoDevice;
    }
    for (std::size_t number = 0; const KernelSpec& kernel : kernels) {
      for (std::uint32_t i = 0; i < kernel.count; ++i) take(agent, kernel, maps, number++, id, text);
    }
    return Code::kNone;
  }
  // By slot and kernel: tables of their own (pack_devices.h), with their own tests.
  using Maps = std::map<SlotId, std::vector<std::vector<MapShare>>>;
  bool pack(const AgentSpec& agent, const std::vector<KernelSpec>& kernels, SlotId slot, std::vector<std::vector<MapShare>>* maps) {
    std::vector<DeviceFree> frees;
    for (const auto& [id, device] : devices(agent, slot)) frees.push_back(device);
    std::vector<Amount> asks;
    for (const KernelSpec& kernel : kernels) asks.insert(asks.end(), kernel.count, amount_in(kernel.slots, slot));
    return DevicePacker().pack(map_policy(slot), frees, asks, maps);
  }
  void take(const AgentSpec& agent, const KernelSpec& kernel, const Maps& maps, std::size_t n, const SessionId& id, std::string* text) {
    *text += " " + agent.id;
    const std::set<SlotAmount> slots(kernel.slots.begin(), kernel.slots.end());
    for (const SlotAmount& asked : slots) {
      if (asked.amount == 0) continue;
      if (!maps.contains(asked.slot)) {
        held_.push_back({id, agent.id, "", asked.slot, asked.amount, false});
        continue;
      }
      const auto on = devices(agent, asked.slot);
      for (const MapShare& share : maps.at(asked.slot)[n]) {
        held_.push_back({id, agent.id, on[share.device].first, asked.slot, share.amount, false});
        *text += " " + on[share.device].first + ":" + std::string(names_.cluster.slot_name(asked.slot)) + "=" +
                 format_amount(names_.cluster.slot_kind(asked.slot), share.amount);
      }
    }
    held_.push_back({id, agent.id, "", kNoSlot, 0, true});
  }
  MapPolicy map_policy(SlotId slot) const {
    const SlotKind kind = names_.cluster.slot_kind(slot);
    DevicePolicy policy = default_device_policy(names_.cluster.slot_name(slot), kind);
    for (const SlotDevicePolicy& entry : policy_.devices) {
      if (entry.slot == slot) policy = entry.policy;
    }
    return {kind, policy.spread, policy.quantum, policy.allow_fragments, 0};
  }

  std::vector<SlotId> order() const {
    std::vector<std::tuple<std::size_t, std::string, SlotId>> all;
    for (SlotId slot = 0; !names_.cluster.slot_name(slot).empty(); ++slot) {
      const std::string name(names_.cluster.slot_name(slot));
      std::size_t rank = 0;
      while (rank < policy_.slot_priority.size() && name != policy_.slot_priority[rank] &&
             !name.starts_with(policy_.slot_priority[rank] + ".")) ++rank;
      all.emplace_back(rank, name, slot);
    }
    std::sort(all.begin(), all.end());
    std::vector<SlotId> result;
    for (const auto& [rank, name, slot] : all) result.push_back(slot);
    return result;
  }
  // Smaller is better.
  std::tuple<int, std::vector<Amount>, std::string> score(const AgentSpec& agent, const std::vector<KernelSpec>& kernels) const {
    int unused = 0;
    std::vector<Amount> remaining;
    for (const SlotId slot : order()) {
      Amount asked = 0;
      for (const KernelSpec& kernel : kernels) asked += amount_in(kernel.slots, slot);
      const std::optional<Amount> left = free(agent, slot);
      if (asked == 0 && left.value_or(0) > 0) ++unused;
      const Amount key = policy_.select == Select::kConcentrated ? left.value_or(0) : -left.value_or(0);
      remaining.push_back(left ? key : std::numeric_limits<Amount>::max());
    }
    return {unused, remaining, agent.id};
  }

  Reason try_all(const PendingSpec& session, std::string* text) {
    choice_.standing.clear();
    for (const Held& held : held_) choice_.standing.insert({held.agent, held.session});
    if (session.mode == Mode::kSingleNode) return try_one(session.kernels, session, text);
    const std::vector<Held> before = held_;
    for (const KernelSpec& kernel : session.kernels) {
      for (std::uint32_t i = 0; i < kernel.count; ++i) {
        KernelSpec one = kernel;
        one.count = 1;
        const Reason reason = try_one({one}, session, text);
        if (reason.code == Code::kNone) continue;
        return held_ = before, reason;
      }
    }
    return {};
  }
  Reason try_one(const std::vector<KernelSpec>& kernels, const PendingSpec& session, std::string* text) {
    const AgentSpec* best = nullptr;
    const auto rank = [&](const AgentSpec& agent) { return std::pair{choice_.tier(session, agent.id, now_), score(agent, kernels)}; };
    for (const auto& [id, agent] : agents_) {
      if (choice_.filtered(session, id) != Code::kNone) continue;
      const std::vector<Held> before = held_;
      std::string ignored;
      const bool fits = fit(agent, kernels, session.id, &ignored) == Code::kNone;
      held_ = before;
      if (fits && (best == nullptr || rank(agent) < rank(*best))) best = &agent;
    }
    if (best == nullptr) return explain(kernels, session);
    fit(*best, kernels, session.id, text);
    return {};
  }
  Reason explain(const std::vector<KernelSpec>& kernels, const PendingSpec& session) {
    Code last = Code::kNoAgents;
    std::optional<Lack> least;
    for (const auto& [id, agent] : agents_) {
      std::string ignored;
      const std::vector<Held> before = held_;
      Code code = fit(agent, kernels, session.id, &ignored);
      held_ = before;
      const Code filtered = choice_.filtered(session, id);
      if (filtered != Code::kNone && code != Code::kNoAgents && code != Code::kArchitecture) code = filtered;
      if (code < last) continue;
      if (code > last) least.reset();
      last = code;
      const Lack lack = what_lacks(agent, kernels, code);
      const auto less = [](const Lack& a, const Lack& b) {
        if (a.slots != b.slots) return a.slots < b.slots;
        return static_cast<__int128>(a.missing) * b.asked < static_cast<__int128>(b.missing) * a.asked;
      };
      if (!least || less(lack, *least)) least = lack;
    }
    return least ? least->reason : Reason{last, kNoSlot};
  }
  Lack what_lacks(const AgentSpec& agent, const std::vector<KernelSpec>& kernels, Code code, bool together = false) {
    Lack lack;
    lack.reason = {code, kNoSlot};
    if (code != Code::kNoCapacity && code != Code::kNoDevice) return lack;
    for (const SlotId slot : order()) {
      Amount asked = 0;
      for (const KernelSpec& kernel : kernels) asked += amount_in(kernel.slots, slot) * kernel.count;
      if (together && asked > 0 && !devices(agent, slot).empty() && lack.slots++ == 0) lack.reason.slot = slot;
      if (together) continue;
      Amount most = free(agent, slot).value_or(0);
      const auto on = devices(agent, slot);
      if (code == Code::kNoDevice && !on.empty() && asked > 0) {
        most = std::min(most, asked);
        std::vector<std::vector<MapShare>> ignored;
        while (most > 0 && !pack(agent, {{{{slot, most}}, "", 1}}, slot, &ignored)) most -= 100'000;
      }
      if (asked <= most || asked == 0) continue;
      const Amount missing = asked - std::max<Amount>(most, 0);
      if (lack.reason.slot == kNoSlot) lack.reason.slot = slot;
      ++lack.slots;
      const bool more = static_cast<__int128>(missing) * lack.asked > static_cast<__int128>(lack.missing) * asked;
      if (more) lack.missing = missing, lack.asked = asked;
    }
    if (lack.slots == 0 && !together) return what_lacks(agent, kernels, code, true);  // kernels that only fail together
    return lack;
  }

  TestCluster& names_;
  GroupPolicy policy_;
  std::map<std::string, AgentSpec> agents_;
  std::vector<PendingSpec> waiting_;
  std::vector<Held> held_;
  PlainChoice choice_;
  Timestamp now_ = 0;
};

}  // namespace berth::scheduler::testing
