// Small random clusters, nearly full, with a few sessions that wait.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controller/placement/model/model.h"
#include "events/base/random.h"
#include "tests/unit/answers/unblock_oracle.h"

namespace berth::placement::testing {

// What the policy may be: kWalked, whatever whatif.h walks; kAny, every order, with preemption, session
// groups and turns.
enum class Policies : std::uint8_t { kWalked, kAny };

class CrowdedCluster {
 public:
  explicit CrowdedCluster(std::uint64_t seed, Policies policies = Policies::kWalked)
      : any_(policies == Policies::kAny), rng_(any_ ? seed + 7'000'000 : seed) {
    set_policy();
    add_agents();
    if (any_) set_shares();
    for (std::uint64_t i = 6 + rng_.below(14); i > 0; --i) ask();
    t.pass({1'000, false, false, 10 * kSecond});
    note_live();
    for (std::uint64_t i = rng_.below(4); i > 0 && !facts.live.empty(); --i) end_one();
    for (std::uint64_t i = 1 + rng_.below(4); i > 0; --i) ask();
    if (rng_.chance(2, 3)) t.pass({1'000, false, false, 20 * kSecond});  // else what would start waits too
    note_live();
    std::erase_if(facts.waiting, [&](const PendingSpec& spec) { return !t.cluster.is_pending(spec.id); });
    note_state();
  }

  TestCluster t;
  Facts facts;

 private:
  template <class T> T one_of(std::initializer_list<T> values) {
    return *(values.begin() + rng_.below(values.size()));
  }

  void set_policy() {
    GroupPolicy policy;
    policy.order = one_of({Order::kFifo, Order::kFifo, Order::kLifo});
    policy.select = one_of({Select::kConcentrated, Select::kDispersed});
    policy.head_of_line = one_of({HeadOfLine::kStrict, HeadOfLine::kSkipAfterN, HeadOfLine::kGreedy});
    policy.skip_after = 2;
    DevicePolicy shares = default_device_policy("cuda.shares", SlotKind::kCount);
    shares.allow_fragments = rng_.chance(1, 3);
    shares.spread = one_of({Spread::kEven, Spread::kFill});
    policy.devices = {{t.slot("cuda.shares"), shares}};
    if (any_) widen(policy);
    t.set_policy(policy);
    facts.policy = policy;
  }

  void widen(GroupPolicy& policy) {
    policy.order = one_of({Order::kFifo, Order::kLifo, Order::kDrf, Order::kFairShare, Order::kBackfill});
    policy.select = one_of({Select::kConcentrated, Select::kDispersed, Select::kRoundRobin});
    policy.preemption.enabled = rng_.chance(1, 2);
    policy.preemption.order =
        one_of({PreemptOrder::kOldest, PreemptOrder::kNewest, PreemptOrder::kFewestSessions});
    policy.preemption.scope = one_of({PreemptScope::kUser, PreemptScope::kResourceGroup});
    with_groups_ = rng_.chance(1, 3);
  }

  void set_shares() {
    const SlotId cpu = t.slot("cpu");
    for (const char* user : {"ann", "bob", "cy"}) {
      FairShareRow row;
      row.id = user;
      row.usage[0][cpu] = static_cast<SlotSeconds>(rng_.below(40)) * kUnit * 10'000;
      facts.shares.push_back(row);
    }
    t.cluster.set_fair_share("default", facts.shares, 0);
  }

  // All that the pass goes by, as it is after the last one.
  void note_state() {
    const Model& model = t.cluster.model();
    for (Facts::Live& known : facts.live) {
      const LiveIndex index = model.find_live(known.spec.id);
      const Live& live = model.live[index];
      known.facts = {model.names[live.domain],
                     model.names[live.project],
                     model.names[live.session_group],
                     live.job_priority,
                     live.preemptible,
                     live.leaving,
                     live.started};
      known.ends = live.ends;
    }
    for (const PendingSpec& spec : facts.waiting) {
      const auto reserved = model.held_places.find(spec.id);
      if (reserved == model.held_places.end()) continue;
      std::vector<KernelPlacement> placements;
      for (const Live::Kernel& kernel : reserved->second.kernels)
        placements.push_back({kernel.agent, {kernel.devices.view().begin(), kernel.devices.view().end()}});
      facts.reserved.push_back({spec, placements});
    }
    facts.turn = t.cluster.round_robin_index("default");
    facts.now = 30 * kSecond;
  }

  void add_agents() {
    for (std::uint64_t i = 1 + rng_.below(3); i > 0; --i) {
      AgentSpec spec =
          t.agent_spec("a" + std::to_string(i), {{"cpu", one_of({"2", "4"})}, {"mem", one_of({"2g", "4g"})}});
      spec.arch = rng_.chance(1, 8) ? "aarch64" : "x86_64";
      spec.max_containers = static_cast<std::uint32_t>(one_of({3, 100}));
      spec.draining = rng_.chance(1, 12);
      for (std::uint64_t gpu = rng_.below(4); gpu > 0; --gpu) {
        spec.devices.push_back(
            {"gpu" + std::to_string(gpu), 0, t.amounts({{"cuda.shares", one_of({"1", "1", "2"})}}), {}});
      }
      t.cluster.upsert_agent(spec);
      facts.agents.push_back(spec);
    }
  }

  void ask() {
    const std::string name = "s" + std::to_string(100 + ++count_);
    Amounts slots{{"cpu", one_of({"0.5", "1", "2"})}, {"mem", one_of({"512m", "1g", "2g"})}};
    if (rng_.chance(2, 3)) slots["cuda.shares"] = one_of({"0.3", "0.5", "0.7", "1", "1.5", "2"});
    PendingSpec spec = t.session_spec(name, slots, one_of({10, 10, 10, 20}));
    if (rng_.chance(1, 10)) spec.kernels[0].arch = one_of({"x86_64", "riscv64"});
    if (rng_.chance(1, 6)) spec.kernels[0].count = 2;
    if (rng_.chance(1, 8))
      spec.kernels.push_back({t.amounts({{"cpu", "0.5"}, {"cuda.shares", one_of({"0", "0.5"})}}), "", 1});
    if (rng_.chance(1, 3)) spec.mode = Mode::kMultiNode;
    if (rng_.chance(1, 8)) spec.designated = {{"a1", "nobody"}, rng_.chance(1, 2)};
    if (spec.mode == Mode::kSingleNode && spec.kernels.size() > 1)
      spec.kernels[1].arch = spec.kernels[0].arch;
    if (rng_.chance(1, 10)) spec.retries = 2;
    if (rng_.chance(1, 20)) spec.wait_cause = {Code::kStartTime, kNoSlot};
    if (any_) add_owner(spec);
    t.wait(spec);
    facts.waiting.push_back(spec);
  }

  void add_owner(PendingSpec& spec) {
    spec.domain = "default";
    spec.user = one_of({"ann", "bob", "cy"});
    spec.job_priority = one_of({0, 0, 1, 5});
    spec.preemptible = rng_.chance(3, 4);
    spec.timeout_s = one_of({0u, 5u, 100u, 1'000u});
    if (with_groups_ && rng_.chance(1, 2))
      spec.session_group = {one_of({"g1", "g2"}), one_of({GroupRule::kSpread, GroupRule::kPack}),
                            rng_.chance(2, 3)};
  }

  void note_live() {
    for (const PendingSpec& spec : facts.waiting) {
      const bool known = std::any_of(facts.live.begin(), facts.live.end(),
                                     [&](const auto& l) { return l.spec.id == spec.id; });
      if (!known && !t.cluster.placements(spec.id).empty())
        facts.live.push_back({spec, t.cluster.placements(spec.id), {}, kNeverEnds});
    }
  }

  void end_one() {
    const std::size_t at = rng_.below(facts.live.size());
    t.cluster.release(facts.live[at].spec.id);
    facts.live.erase(facts.live.begin() + static_cast<std::ptrdiff_t>(at));
  }

  const bool any_;
  Rng rng_;
  bool with_groups_ = false;
  int count_ = 0;
};

}  // namespace berth::placement::testing
