// What would let a session start, by brute force: a new cluster for every subset, and a pass.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/scheduler/unblock.h"
#include "tests/unit/scheduler/support.h"

namespace berth::scheduler::testing {

// A cluster as data, so that it can be made again without somebody.
struct Facts {
  struct Live {
    PendingSpec spec;
    std::vector<KernelPlacement> placements;
  };
  GroupPolicy policy;
  std::vector<AgentSpec> agents;
  std::vector<Live> live;
  std::vector<PendingSpec> waiting;

  void make(TestCluster* t, const std::set<SessionId>& without) const {
    t->set_policy(policy);
    for (const AgentSpec& agent : agents) t->cluster.upsert_agent(agent);
    for (const Live& session : live) {
      if (!without.contains(session.spec.id)) hold(t, session);
    }
    for (const PendingSpec& spec : waiting) {
      if (!without.contains(spec.id)) t->wait(spec);
    }
  }

  static void hold(TestCluster* t, const Live& session) {
    std::size_t index = 0;
    for (const KernelSpec& kernel : session.spec.kernels) {
      for (std::uint32_t i = 0; i < kernel.count; ++i, ++index) {
        const KernelPlacement& placement = session.placements[index];
        std::vector<HeldDevice> devices;
        for (const DeviceShare& share : placement.devices) {
          devices.push_back({t->cluster.device_name(placement.agent, share.device), share.slot, share.amount});
        }
        const HeldKernel held{static_cast<KernelIndex>(index), t->cluster.agent_name(placement.agent), kernel.slots, devices};
        t->cluster.hold(session.spec.id, std::span(&held, 1));
      }
    }
  }
};

class Oracle {
 public:
  explicit Oracle(const Facts& facts) : facts_(facts) {}

  bool starts(const SessionId& session, const std::set<SessionId>& without, const PendingSpec* instead = nullptr) const {
    Facts facts = facts_;
    for (PendingSpec& spec : facts.waiting) {
      if (instead != nullptr && spec.id == session) spec = *instead;
    }
    TestCluster t;
    facts.make(&t, without);
    t.pass({1'000'000, false, false});
    return !t.cluster.is_pending(session);
  }

  // Minimal subsets of `ids`, up to `most`, by size and then ids.
  std::vector<SessionSet> minimal(const SessionId& session, std::vector<SessionId> ids, std::size_t most) const {
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
  void add_subsets(const SessionId& session, const std::vector<SessionId>& ids, std::size_t size, std::size_t from, SessionSet set,
                   std::vector<SessionSet>* found) const {
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

}  // namespace berth::scheduler::testing
