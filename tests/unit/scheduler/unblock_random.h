// Small random clusters, nearly full, with a few sessions that wait.
#pragma once

#include "events/base/random.h"
#include "tests/unit/scheduler/unblock_oracle.h"

namespace berth::scheduler::testing {

class CrowdedCluster {
 public:
  explicit CrowdedCluster(std::uint64_t seed) : rng_(seed) {
    set_policy();
    add_agents();
    for (std::uint64_t i = 6 + rng_.below(14); i > 0; --i) ask();
    t.pass();
    note_live();
    for (std::uint64_t i = rng_.below(4); i > 0 && !facts.live.empty(); --i) end_one();
    for (std::uint64_t i = 1 + rng_.below(4); i > 0; --i) ask();
    if (rng_.chance(2, 3)) t.pass();  // else what would start waits too
    note_live();
    std::erase_if(facts.waiting, [&](const PendingSpec& spec) { return !t.cluster.is_pending(spec.id); });
  }

  TestCluster t;
  Facts facts;

 private:
  template <class T> T one_of(std::initializer_list<T> values) { return *(values.begin() + rng_.below(values.size())); }

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
    t.set_policy(policy);
    facts.policy = policy;
  }

  void add_agents() {
    for (std::uint64_t i = 1 + rng_.below(3); i > 0; --i) {
      AgentSpec spec = t.agent_spec("a" + std::to_string(i), {{"cpu", one_of({"2", "4"})}, {"mem", one_of({"2g", "4g"})}});
      spec.arch = rng_.chance(1, 8) ? "aarch64" : "x86_64";
      spec.max_containers = static_cast<std::uint32_t>(one_of({3, 100}));
      spec.draining = rng_.chance(1, 12);
      for (std::uint64_t gpu = rng_.below(4); gpu > 0; --gpu) {
        spec.devices.push_back({"gpu" + std::to_string(gpu), 0, t.amounts({{"cuda.shares", one_of({"1", "1", "2"})}}), {}});
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
    if (rng_.chance(1, 8)) spec.kernels.push_back({t.amounts({{"cpu", "0.5"}, {"cuda.shares", one_of({"0", "0.5"})}}), "", 1});
    if (rng_.chance(1, 3)) spec.mode = Mode::kMultiNode;
    if (rng_.chance(1, 8)) spec.designated = {{"a1", "nobody"}, rng_.chance(1, 2)};
    if (spec.mode == Mode::kSingleNode && spec.kernels.size() > 1) spec.kernels[1].arch = spec.kernels[0].arch;
    if (rng_.chance(1, 10)) spec.retries = 2;
    if (rng_.chance(1, 20)) spec.hold = {Code::kStartTime, kNoSlot};
    t.wait(spec);
    facts.waiting.push_back(spec);
  }

  void note_live() {
    for (const PendingSpec& spec : facts.waiting) {
      const bool known = std::any_of(facts.live.begin(), facts.live.end(), [&](const auto& l) { return l.spec.id == spec.id; });
      if (!known && !t.cluster.placements(spec.id).empty()) facts.live.push_back({spec, t.cluster.placements(spec.id)});
    }
  }

  void end_one() {
    const std::size_t at = rng_.below(facts.live.size());
    t.cluster.release(facts.live[at].spec.id);
    facts.live.erase(facts.live.begin() + static_cast<std::ptrdiff_t>(at));
  }

  Rng rng_;
  int count_ = 0;
};

}  // namespace berth::scheduler::testing
