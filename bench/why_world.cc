#include "bench/why_world.h"

#include <cstring>

namespace berth::bench {

namespace {

constexpr Amount kGiB = 1ll << 30;

SessionId session_id(std::uint64_t number) {
  SessionId id;
  const std::uint64_t mixed = number * 0x9E3779B97F4A7C15ull;
  std::memcpy(id.bytes.data(), &mixed, sizeof mixed);
  std::memcpy(id.bytes.data() + 8, &number, sizeof number);
  return id;
}

}  // namespace

WhyWorld::WhyWorld(std::uint64_t agents, std::uint64_t seed, const placement::GroupPolicy& policy)
    : rng_(seed),
      policy_(policy),
      cpu_(cluster_.define_slot("cpu", SlotKind::kCount)),
      mem_(cluster_.define_slot("mem", SlotKind::kBytes)),
      shares_(cluster_.define_slot("cuda.shares", SlotKind::kCount)) {
  placement::GroupPolicy greedy;
  greedy.head_of_line = placement::HeadOfLine::kGreedy;
  cluster_.define_group("default", greedy);
  add_agents(agents);
}

void WhyWorld::add_agents(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    placement::AgentSpec agent;
    agent.id = "agent-" + std::to_string(1'000'000 + i);
    agent.group = "default";
    agent.arch = i % 16 == 0 ? "aarch64" : "x86_64";
    const std::uint64_t kind = i % 4;  // half CPU only; 8 whole GPUs; 4 GPUs cut into two
    agent.slots = {{cpu_, (kind == 2 ? 96 : 64) * kUnit}, {mem_, (kind == 2 ? 1024 : 256) * kGiB}};
    const std::uint64_t gpus = kind == 2 ? 8 : kind == 3 ? 4 : 0;
    for (std::uint64_t gpu = 0; gpu < gpus; ++gpu) {
      agent.devices.push_back({"gpu" + std::to_string(gpu), 0, {{shares_, (kind == 3 ? 2 : 1) * kUnit}}, {}});
    }
    agent.max_containers = 1'000;
    cluster_.upsert_agent(agent);
  }
}

// Some hundred different requests: a third CPU only, most of the rest parts of a GPU, some gangs, some of one
// architecture.
void WhyWorld::ask() {
  placement::PendingSpec spec;
  asked_.push_back(session_id(asked_.size() + 1));
  spec.id = asked_.back();
  spec.group = "default";
  spec.created = static_cast<Timestamp>(asked_.size());
  spec.arrival = asked_.size();
  spec.user = "u" + std::to_string(rng_.below(200));
  spec.priority = rng_.chance(1, 10) ? 20 : 10;
  spec.job_priority = asked_.size() % 16 == 0 ? 5 : 0;  // where victims are sought
  if (asked_.size() % 3 != 0) spec.timeout_s = 3'600;   // where ends are counted on
  placement::KernelSpec kernel;
  kernel.slots = {{cpu_, static_cast<Amount>(1 + rng_.below(8)) * 2 * kUnit},
                  {mem_, static_cast<Amount>(1 + rng_.below(4)) * 8 * kGiB}};
  if (!rng_.chance(1, 3)) {
    const Amount tenths = rng_.chance(1, 3) ? 10 * static_cast<Amount>(1 + rng_.below(4))
                                            : static_cast<Amount>(1 + rng_.below(9));
    kernel.slots.push_back({shares_, tenths * kUnit / 10});
  }
  if (rng_.chance(1, 20)) {
    kernel.count = 4;
    spec.mode = placement::Mode::kMultiNode;
  }
  if (rng_.chance(1, 20)) kernel.arch = "aarch64";
  spec.kernels = {kernel};
  (void)cluster_.add_pending(spec).ok();
}

void WhyWorld::run_passes() {
  while (placement::pass(cluster_, "default", {1'000, false, false}, *this).more) {}
  for (const SessionId& victim : victims_) cluster_.release(victim);
  victims_.clear();
}

void WhyWorld::placed(const SessionId& session, std::span<const placement::KernelPlacement>) {
  running_.push_back(session);
}

// Greedy while it fills, whatever the policy: a strict queue would stand still long before the cluster is
// full.
void WhyWorld::fill(std::uint64_t waiting) {
  while (cluster_.pending_count() < waiting) {
    for (int i = 0; i < 1'000 && cluster_.pending_count() < waiting; ++i) ask();
    run_passes();
  }
  cluster_.define_group("default", policy_);
  for (int i = 0; i < 4; ++i) run_passes();
}

void WhyWorld::end_some(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count && !running_.empty(); ++i) {
    const std::size_t at = rng_.below(running_.size());
    cluster_.release(running_[at]);
    running_[at] = running_.back();
    running_.pop_back();
    ask();
  }
}

const SessionId& WhyWorld::pick_waiting() {
  for (;;) {
    const SessionId& id = asked_[rng_.below(asked_.size())];
    if (cluster_.is_pending(id)) return id;
  }
}

}  // namespace berth::bench
