// What would let a session start, by brute force: a new cluster for every subset, and a pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/answers/unblock.h"
#include "controller/placement/order/fair_share.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {

// A cluster as data, so that it can be made again without somebody.
struct Facts {
  struct Live {
    PendingSpec spec;
    std::vector<KernelPlacement> placements;
    LiveFacts facts;
    Timestamp ends = kNeverEnds;
  };
  struct Reserved {
    PendingSpec spec;
    std::vector<KernelPlacement> placements;
  };
  GroupPolicy policy;
  std::vector<AgentSpec> agents;
  std::vector<Live> live;
  std::vector<PendingSpec> waiting;
  std::vector<Reserved> reserved;  // of those that wait
  std::vector<FairShareRow> shares;
  std::uint64_t turn = 0;
  Timestamp now = 0;  // of the next pass

  void make(TestCluster* t, const std::set<SessionId>& without) const {
    t->set_policy(policy);
    for (const AgentSpec& agent : agents) t->cluster.upsert_agent(agent);
    t->cluster.set_fair_share("default", shares, 0);
    t->cluster.set_round_robin_index("default", turn);
    for (const Live& session : live) {
      if (!without.contains(session.spec.id)) hold(t, session);
    }
    for (const PendingSpec& spec : waiting) {
      if (!without.contains(spec.id)) t->wait(spec);
    }
    for (const Reserved& session : reserved) {
      if (!without.contains(session.spec.id)) reserve(t, session);
    }
  }

  static void hold(TestCluster* t, const Live& session) {
    Held held(t, session.spec, session.placements);
    t->cluster.occupy(session.spec.id, held.kernels, session.spec.user);
    t->cluster.set_live(session.spec.id, session.facts);
    t->cluster.set_declared_end(session.spec.id, session.ends);
  }

  static void reserve(TestCluster* t, const Reserved& session) {
    Held held(t, session.spec, session.placements);
    t->cluster.reserve(session.spec.id, held.kernels);
  }

 private:
  // By names, as callers say it.
  struct Held {
    Held(TestCluster* t, const PendingSpec& spec, const std::vector<KernelPlacement>& placements) {
      for (const KernelPlacement& placement : placements) {
        std::vector<PlacedDevice>& list = devices.emplace_back();
        for (const DeviceShare& share : placement.devices)
          list.push_back({t->cluster.device_name(placement.agent, share.device), share.slot, share.amount});
      }
      std::size_t index = 0;
      for (const KernelSpec& kernel : spec.kernels) {
        for (std::uint32_t i = 0; i < kernel.count; ++i, ++index) {
          const std::string_view agent = t->cluster.agent_name(placements[index].agent);
          kernels.push_back({static_cast<KernelIndex>(index), agent, kernel.slots, devices[index]});
        }
      }
    }
    std::deque<std::vector<PlacedDevice>> devices;
    std::vector<PlacedKernel> kernels;
  };
};

class Oracle {
 public:
  explicit Oracle(const Facts& facts) : facts_(facts) {}

  bool starts(const SessionId& session, const std::set<SessionId>& without,
              const PendingSpec* instead = nullptr) const {
    Facts facts = facts_;
    for (PendingSpec& spec : facts.waiting) {
      if (instead != nullptr && spec.id == session) spec = *instead;
    }
    TestCluster t;
    facts.make(&t, without);
    t.pass({1'000'000, false, false, facts.now});
    return !t.cluster.is_pending(session);
  }

  // Minimal subsets of `ids`, up to `most`, by size and then ids.
  std::vector<SessionSet> minimal(const SessionId& session, std::vector<SessionId> ids,
                                  std::size_t most) const {
    std::sort(ids.begin(), ids.end());
    std::vector<SessionSet> found;
    for (std::size_t size = 1; size <= most; ++size) add_subsets(session, ids, size, 0, {}, &found);
    return found;
  }

  std::vector<SessionId> live() const {
    std::vector<SessionId> ids;
    for (const Facts::Live& session : facts_.live) ids.push_back(session.spec.id);
    return ids;
  }

  // Those of the queue that may matter: who is before it; where turns move, or a pass goes session by session
  // while somebody waits for members of a session group, also who is behind.
  std::vector<SessionId> rivals(const SessionId& session, std::vector<SessionId> queue) const {
    const auto own = std::find(queue.begin(), queue.end(), session);
    const bool groups = std::any_of(facts_.waiting.begin(), facts_.waiting.end(),
                                    [](const PendingSpec& spec) { return !spec.session_group.name.empty(); });
    if (!groups && (facts_.policy.order == Order::kFifo || facts_.policy.order == Order::kLifo))
      queue.erase(own, queue.end());
    else
      queue.erase(own);
    for (const Facts::Reserved& held : facts_.reserved) queue.push_back(held.spec.id);  // in no lane
    return queue;
  }

  // The largest multiple of `step` below what is asked with which it starts; 0 if none.
  Amount largest(const PendingSpec& spec, std::size_t part, SlotId slot, Amount step) const {
    PendingSpec less = spec;
    for (SlotAmount& asked : less.kernels[part].slots) {
      if (asked.slot != slot) continue;
      for (asked.amount -= step; asked.amount > 0; asked.amount -= step) {
        if (starts(spec.id, {}, &less)) return asked.amount;
      }
    }
    return 0;
  }

 private:
  void add_subsets(const SessionId& session, const std::vector<SessionId>& ids, std::size_t size,
                   std::size_t from, SessionSet set, std::vector<SessionSet>* found) const {
    if (set.size() == size) {
      for (const SessionSet& known : *found) {
        if (std::includes(set.begin(), set.end(), known.begin(), known.end())) return;
      }
      if (starts(session, {set.begin(), set.end()})) found->push_back(set);
      return;
    }
    for (std::size_t i = from; i < ids.size(); ++i) {
      set.push_back(ids[i]);
      add_subsets(session, ids, size, i + 1, set, found);
      set.pop_back();
    }
  }

  const Facts& facts_;
};

}  // namespace berth::placement::testing
