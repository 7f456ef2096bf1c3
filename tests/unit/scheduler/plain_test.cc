// The indexed scheduler and the plain one decide the same, byte for byte, on random clusters.
#include <gtest/gtest.h>

#include <set>

#include "events/base/random.h"
#include "tests/unit/scheduler/plain.h"

namespace berth::scheduler::testing {
namespace {

class World {
 public:
  explicit World(std::uint64_t seed) : rng_(seed), plain_(everyone_) {
    for (TestCluster* cluster : {&everyone_, &changes_}) cluster->slot("rocm.device");
    change_policy();
    const std::uint64_t agents = 1 + rng_.below(rng_.chance(1, 4) ? 60 : 8);
    for (std::uint64_t i = 0; i < agents; ++i) join("a" + std::to_string(rng_.below(100)));
  }

  void step() {
    for (std::uint64_t i = rng_.below(12); i > 0; --i) ask();
    for (std::uint64_t i = rng_.below(8); i > 0; --i) end();
    if (rng_.chance(1, 4)) join("a" + std::to_string(rng_.below(100)));
    if (rng_.chance(1, 6)) drain();
    if (rng_.chance(1, 6)) withdraw();
    if (rng_.chance(1, 12)) change_policy();
    const bool count = rng_.chance(1, 2);
    const Lines expected = plain_.pass(everyone_.policy, count, ++now_);
    EXPECT_EQ(everyone_.pass({1'000'000, count, true, now_}), expected);
    const auto budget = static_cast<std::uint32_t>(1 + rng_.below(5));
    const Lines told = changes_.pass({rng_.chance(1, 2) ? budget : 100'000, count, false, now_});
    EXPECT_EQ(placements(told), placements(expected))
        << ::testing::PrintToString(told) << ::testing::PrintToString(expected);
    for (const std::string& line : placements(expected)) live_.insert(line.substr(0, line.find(' ')));
    for (const std::string& line : placements(expected)) waiting_.erase(line.substr(0, line.find(' ')));
  }

 private:
  static Lines placements(const Lines& lines) {
    Lines result;
    for (const std::string& line : lines) {
      if (line.find(" ->") != std::string::npos) result.push_back(line);
    }
    return result;
  }
  template <class T> T one_of(std::initializer_list<T> values) { return *(values.begin() + rng_.below(values.size())); }

  void change_policy() {
    GroupPolicy policy;
    policy.order = one_of({Order::kFifo, Order::kFifo, Order::kLifo});
    policy.select = one_of({Select::kConcentrated, Select::kDispersed});
    policy.head_of_line = one_of({HeadOfLine::kStrict, HeadOfLine::kSkipAfterN, HeadOfLine::kGreedy, HeadOfLine::kGreedy});
    policy.skip_after = static_cast<std::uint32_t>(rng_.below(3));
    if (rng_.chance(1, 3)) policy.slot_priority = {"mem", "cuda.shares"};
    DevicePolicy shares = default_device_policy("cuda.shares", SlotKind::kCount);
    shares.allow_fragments = rng_.chance(1, 3);
    shares.spread = one_of({Spread::kEven, Spread::kFill});
    policy.devices = {{everyone_.slot("cuda.shares"), shares}};
    for (TestCluster* cluster : {&everyone_, &changes_}) cluster->set_policy(policy);
  }

  void join(const std::string& id) {
    AgentSpec spec = everyone_.agent_spec(id, {{"cpu", one_of({"4", "8", "16"})}, {"mem", one_of({"8g", "16g"})}});
    spec.arch = rng_.chance(1, 6) ? "aarch64" : "x86_64";
    spec.max_containers = static_cast<std::uint32_t>(one_of({3, 10, 100}));
    if (rng_.chance(1, 4)) spec.used = everyone_.amounts({{"cpu", one_of({"1", "4", "5"})}});
    const std::uint64_t gpus = rng_.chance(1, 2) ? 0 : 1 + rng_.below(8);
    const char* slot = one_of({"cuda.shares", "cuda.shares", "rocm.device"});
    const char* capacity = std::string_view(slot) == "cuda.shares" ? one_of({"1", "1", "2"}) : "1";
    for (std::uint64_t i = 0; i < gpus; ++i) {
      const auto numa = static_cast<std::int32_t>(rng_.below(2));
      DeviceSpec device{"gpu" + std::to_string(i), numa, everyone_.amounts({{slot, capacity}}), {}};
      if (rng_.chance(1, 5))
        device.used = everyone_.amounts({{slot, std::string_view(slot) == "cuda.shares" ? "0.3" : "1"}});
      spec.devices.push_back(std::move(device));
    }
    if (const AgentSpec* known = plain_.find_agent(id)) {  // joins again: devices that are held stay, as a real one's would
      spec.devices = known->devices;
      if (rng_.chance(1, 3)) spec.slots = everyone_.amounts({{"cpu", "2"}, {"mem", "4g"}});
    }
    upsert(spec);
  }

  void upsert(const AgentSpec& spec) {
    plain_.agent(spec);
    ids_.insert(spec.id);
    for (TestCluster* cluster : {&everyone_, &changes_}) cluster->cluster.upsert_agent(spec);
  }

  void drain() {
    AgentSpec* spec = plain_.find_agent(pick(ids_));
    spec->draining = !spec->draining;
    for (TestCluster* cluster : {&everyone_, &changes_}) cluster->cluster.set_agent_draining(spec->id, spec->draining);
  }

  void ask() {
    const std::string name = "s" + std::to_string(++count_);
    Amounts slots{{"cpu", one_of({"0.5", "1", "2", "4"})}, {"mem", one_of({"512m", "1g", "4g"})}};
    if (rng_.chance(1, 2))
      slots["cuda.shares"] = one_of({"0.1", "0.3", "0.5", "0.5", "1", "1", "1.5", "2", "4"});
    else if (rng_.chance(1, 4))
      slots["rocm.device"] = one_of({"1", "2"});
    PendingSpec spec = everyone_.session_spec(name, slots, one_of({10, 10, 10, 20}));
    if (rng_.chance(1, 6)) spec.created -= static_cast<std::int64_t>(rng_.below(20));
    if (rng_.chance(1, 8)) spec.kernels[0].arch = one_of({"x86_64", "aarch64", "riscv64"});
    if (rng_.chance(1, 6)) spec.kernels[0].count = static_cast<std::uint32_t>(1 + rng_.below(3));
    if (rng_.chance(1, 6))
      spec.kernels.push_back({everyone_.amounts({{"cpu", "1"}, {"cuda.shares", one_of({"0", "0.5"})}}), "", 1});
    // Gangs of unequal kernels have an oracle of their own (gang_test.cc); equal ones are placed one after the other.
    const bool one_device = !slots.contains("cuda.shares") || slots["cuda.shares"] <= "1";
    if (rng_.chance(1, 3) && spec.kernels.size() == 1 && one_device) spec.mode = Mode::kMultiNode;
    if (rng_.chance(1, 8)) spec.designated = {{pick(ids_), "nobody"}, rng_.chance(1, 2)};
    if (rng_.chance(1, 4)) {
      spec.session_group = {one_of({"g1", "g2"}), one_of({GroupRule::kSpread, GroupRule::kPack}), rng_.chance(1, 2)};
    }
    if (rng_.chance(1, 6)) spec.failed_on = {{pick(ids_), now_ + one_of({0, 2, 5})}, {pick(ids_), now_ + 3}};
    if (spec.mode == Mode::kSingleNode && spec.kernels.size() > 1) spec.kernels[1].arch = spec.kernels[0].arch;
    if (rng_.chance(1, 30)) spec.hold = {Code::kStartTime, kNoSlot};
    waiting_.insert(name);
    plain_.wait(spec);
    everyone_.wait(spec);
    changes_.wait(spec);
  }

  void end() {
    if (live_.empty()) return;
    const std::string name = pick(live_);
    live_.erase(name);
    plain_.end(session_id(name));
    everyone_.end(name);
    changes_.end(name);
  }

  void withdraw() {
    if (waiting_.empty()) return;
    const std::string name = pick(waiting_);
    waiting_.erase(name);
    plain_.withdraw(session_id(name));
    for (TestCluster* cluster : {&everyone_, &changes_}) cluster->cluster.remove_pending(session_id(name));
  }

  const std::string& pick(const std::set<std::string>& names) {
    return *std::next(names.begin(), static_cast<std::int64_t>(rng_.below(names.size())));
  }

  Rng rng_;
  TestCluster everyone_;  // asked to report all
  TestCluster changes_;   // asked for changes only, sometimes with a small budget
  Plain plain_;
  std::set<std::string> ids_, live_, waiting_;
  int count_ = 0;
  Timestamp now_ = 0;
};

TEST(PlainScheduler, DecidesTheSameAsTheIndexedOneOnRandomClusters) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    World world(seed);
    for (int i = 0; i < 12 && !HasFailure(); ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(i));
      world.step();
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace berth::scheduler::testing
