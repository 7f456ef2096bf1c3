// Random clusters for the property test of plain_test.cc: the plain scheduler and two real ones are told the
// same, step by step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controller/placement/pass/explain.h"
#include "events/base/random.h"
#include "tests/unit/placement/plain.h"

namespace berth::placement::testing {

// What a group decides by.
struct PlainCombination {
  Order order = Order::kFifo;
  HeadOfLine head_of_line = HeadOfLine::kStrict;
  Select select = Select::kConcentrated;
  bool preemption = false;
  bool session_groups = false;
};

// Tells all that a pass says.
class Recorder : public TestCluster {
 public:
  explicit Recorder(TestPolicies& policies) {
    cluster.set_custom_policies(&policies);
    slot("rocm.device");
    cluster.define_slot("disk", SlotKind::kBytes);
  }
  void turned(std::uint64_t index) override { lines.push_back("turn " + std::to_string(index)); }
  void preempted(const SessionId& victim, const SessionId& preemptor, PreemptMode) override {
    lines.push_back(session_name(victim) + " goes for " + session_name(preemptor));
  }
  void reserved(const SessionId& session, std::span<const KernelPlacement> kernels) override {
    placed(session, kernels);
    lines.back().insert(lines.back().find(" ->"), " reserved");
  }
  void unreserved(const SessionId& session) override {
    lines.push_back(session_name(session) + " unreserved");
  }
};

class PlainWorld {
 public:
  PlainWorld(std::uint64_t seed, const PlainCombination& combination)
      : rng_(seed), combination_(combination) {
    change_policy();
    const std::uint64_t agents = 1 + rng_.below(rng_.chance(1, 10) ? 20 : 4);
    for (std::uint64_t i = 0; i < agents; ++i) join("a" + std::to_string(rng_.below(30)));
  }

  void set_combination(const PlainCombination& combination) {
    combination_ = combination;
    change_policy();
  }

  // What happens between two passes.
  void change() {
    now_ += static_cast<Timestamp>(rng_.below(3)) * 30 * kSecond;
    for (Recorder* cluster : both_) cluster->cluster.interval_passed();
    for (std::uint64_t i = rng_.below(names(PlainState::kWaiting).size() > 6 ? 2 : 5); i > 0; --i) ask();
    for (const std::string& name : names(PlainState::kLive)) {
      if (rng_.chance(1, 6))
        end(name);
      else if (rng_.chance(1, 4))
        start(name);
      else if (rng_.chance(1, 20))
        leave(name);
    }
    if (rng_.chance(1, 5)) join("a" + std::to_string(rng_.below(30)));
    if (rng_.chance(1, 5)) drain();
    if (rng_.chance(1, 3)) withdraw();
    if (rng_.chance(1, 8)) hold_back();
    if (combination_.order == Order::kFairShare && rng_.chance(1, 3)) use();
    if (rng_.chance(1, 12)) change_policy();
    count_retries_ = rng_.chance(1, 2);
    budget_ = rng_.chance(1, 2) ? static_cast<std::uint32_t>(1 + rng_.below(5)) : 100'000;
  }

  void compare() {
    // Whom the last pass placed is a victim from now on, of which the real one is told when they run.
    const bool quiet = !changes_.cluster.needs_pass("default") && !(combination_.preemption && placed_);
    const Lines expected = plain_.pass(count_retries_, now_);
    EXPECT_EQ(everyone_.pass({1'000'000, count_retries_, true, now_}), expected);
    const Lines told = changes_.pass({budget_, count_retries_, false, now_});
    EXPECT_EQ(moves(told), moves(expected))
        << ::testing::PrintToString(told) << ::testing::PrintToString(expected);
    if (quiet) { EXPECT_EQ(moves(expected), Lines{}) << "the real one saw no need for a pass"; }
    placed_ = std::any_of(expected.begin(), expected.end(),
                          [](const auto& line) { return line.find(" ->") != std::string::npos; });
    decisions_ += static_cast<std::int64_t>(expected.size());
  }
  std::int64_t decisions() const { return decisions_; }

  std::string describe() const {
    std::string text = "at " + std::to_string(now_ / kSecond) + " s, " +
                       (count_retries_ ? "counting" : "not counting") + "\n";
    for (const auto& [id, agent] : plain_.books().agents) {
      text += id + " " + agent.arch + (agent.draining ? " draining" : "") +
              (agent.schedulable ? "" : " lost") + " containers " +
              std::to_string(plain_.books().containers(agent)) + "/" + std::to_string(agent.max_containers);
      for (SlotId slot = 0; slot < plain_.books().slots.size(); ++slot) text += slot_text(agent, slot);
      text += "\n";
    }
    for (const PlainSession& s : plain_.books().sessions) text += session_text(s) + "\n";
    return text;
  }

 private:
  // All but the reasons of those who stay.
  static Lines moves(const Lines& lines) {
    Lines result;
    for (const std::string& line : lines) {
      if (line.find(": ") == std::string::npos && line.find("retried") == std::string::npos)
        result.push_back(line);
    }
    return result;
  }
  std::string slot_text(const AgentSpec& agent, SlotId slot) const {
    std::string text;
    const auto devices = plain_.books().devices(agent, slot);
    for (const auto& [number, device] : devices)
      text += " " + agent.devices[number].id + " of node " + std::to_string(device.numa) + " " +
              std::to_string(device.free) + "/" + std::to_string(device.capacity);
    if (devices.empty() && plain_.books().free(agent, slot))
      text = " " + std::to_string(*plain_.books().free(agent, slot)) + "/" +
             std::to_string(amount_of(agent.slots, slot));
    return text.empty() ? text : " " + plain_.books().slots[slot].name + text;
  }
  static std::string slot_amount(const SlotAmount& a) {
    return " " + std::to_string(a.slot) + "=" + std::to_string(a.amount);
  }
  static std::string session_text(const PlainSession& s) {
    const PendingSpec& spec = s.spec;
    constexpr const char* kStates[] = {" waits", " reserved", " live"};
    std::string text = session_name(spec.id) + kStates[static_cast<int>(s.state)] + " priority " +
                       std::to_string(spec.priority) + "/" + std::to_string(spec.job_priority) + " " +
                       spec.domain + spec.project + spec.user;
    text += spec.mode == Mode::kMultiNode ? " multi" : "";
    text += spec.preemptible ? "" : " stays";
    text += s.leaving ? " leaving" : "";
    for (const KernelSpec& kernel : spec.kernels) {
      text += " [" + std::to_string(kernel.count) + "x";
      for (const SlotAmount& a : kernel.slots) text += slot_amount(a);
      text += " " + kernel.arch + "]";
    }
    for (const std::string& volume : spec.volumes) text += " on " + volume;
    for (const std::string& agent : spec.designated.agents)
      text += (spec.designated.strict ? " only " : " rather ") + agent;
    if (!spec.session_group.name.empty())
      text += " " + spec.session_group.name +
              (spec.session_group.rule == GroupRule::kPack ? " pack" : " spread") +
              (spec.session_group.strict ? " strict" : "");
    text += " retries " + std::to_string(spec.retries) + " timeout " + std::to_string(spec.timeout_s);
    if (s.ends != kNeverEnds) text += " ends " + std::to_string(s.ends / kSecond);
    for (const PlainHold& h : s.place) {
      if (h.slot == kNoSlot)
        text += " " + h.agent;
      else
        text += (h.device == kItself ? "" : " device " + std::to_string(h.device)) +
                slot_amount({h.slot, h.amount});
    }
    return text;
  }

  template <class T> T one_of(std::initializer_list<T> values) {
    return *(values.begin() + rng_.below(values.size()));
  }
  std::vector<std::string> names(PlainState state) const {
    std::vector<std::string> result;
    for (const PlainSession& s : plain_.books().sessions) {
      if (s.state == state) result.push_back(session_name(s.spec.id));
    }
    return result;
  }
  std::string agent_id() {
    const auto& agents = plain_.books().agents;
    return std::next(agents.begin(), static_cast<std::int64_t>(rng_.below(agents.size())))->first;
  }

  void change_policy() {
    GroupPolicy policy;
    policy.order = combination_.order;
    policy.select = combination_.select;
    policy.head_of_line = combination_.head_of_line;
    policy.skip_after = static_cast<std::uint32_t>(rng_.below(3));
    policy.skip_impossible = rng_.chance(1, 3);
    if (rng_.chance(1, 3)) policy.slot_priority = {"mem", "cuda.shares"};
    if (rng_.chance(1, 6)) policy.slot_priority.insert(policy.slot_priority.begin() + 1, "disk");
    if (rng_.chance(1, 6)) policy.fair_share.slot_weights.emplace_back("disk", 3 * kUnit);
    DevicePolicy shares = default_device_policy("cuda.shares", SlotKind::kCount);
    shares.allow_fragments = rng_.chance(1, 3);
    shares.spread = one_of({Spread::kEven, Spread::kFill});
    policy.devices = {{everyone_.slot("cuda.shares"), shares}};
    policy.exclusive = {{everyone_.slot("cuda.shares"), everyone_.slot("rocm.device")}};
    policy.preemption.enabled = combination_.preemption;
    policy.preemption.order =
        one_of({PreemptOrder::kOldest, PreemptOrder::kNewest, PreemptOrder::kFewestSessions});
    policy.preemption.scope = one_of({PreemptScope::kUser, PreemptScope::kProject, PreemptScope::kDomain,
                                      PreemptScope::kResourceGroup, PreemptScope::kResourceGroup});
    if (rng_.chance(1, 3)) policy.preemption.min_runtime = kMinute;
    policy.custom = one_of({kCustomTaste, kCustomTaste, kCustomTaste, kCustomDead, "nobody"});
    using Mix = std::vector<fragmentation::ClassShare>;
    policy.mix =
        one_of({Mix{{{1'000, 1, 300, 0, 0}, 5}, {{2'000, 1, 1'000, 0, 0}, 3}, {{4'000, 0, 0, 0, 0}, 2}},
                Mix{{{500, 1, 500, 0, 0}, 4}, {{4'000, 2, 1'000, 0, 0}, 1}}, Mix{}});
    plain_.set_policy(policy);
    for (Recorder* cluster : both_) cluster->set_policy(policy);
  }

  void use() {
    std::vector<FairShareRow> rows;
    for (const char* id : {"d1", "d2", "p1", "u1", "u2"}) {
      FairShareRow row;
      row.id = id;
      row.scope = *id == 'd' ? ShareScope::kDomain : *id == 'p' ? ShareScope::kProject : ShareScope::kUser;
      row.weight = one_of({kUnit, kUnit, 2 * kUnit});
      row.usage[20'000 - static_cast<std::int32_t>(rng_.below(9))][0] =
          SlotSeconds{rng_.below(3'000'000)} * kUnit;
      if (rng_.chance(1, 2))
        row.usage[20'000][everyone_.slot("disk")] = SlotSeconds{rng_.below(3'000'000)} << 30;
      if (rng_.chance(5, 6)) rows.push_back(row);
    }
    plain_.set_fair_share(rows, 20'000);
    for (Recorder* cluster : both_) cluster->cluster.set_fair_share("default", rows, 20'000);
  }

  void join(const std::string& id) {
    AgentSpec spec =
        everyone_.agent_spec(id, {{"cpu", one_of({"2", "4", "8"})}, {"mem", one_of({"4g", "8g"})}});
    if (rng_.chance(1, 2)) spec.slots.push_back(everyone_.amounts({{"disk", one_of({"10g", "40g"})}})[0]);
    spec.arch = rng_.chance(1, 8) ? "aarch64" : "x86_64";
    spec.max_containers = static_cast<std::uint32_t>(one_of({2, 6, 100, 100}));
    for (const char* volume : {"local", "shared"})
      if (rng_.chance(3, 4)) spec.volumes.emplace_back(volume);
    if (rng_.chance(1, 8)) spec.containers = 1;
    if (rng_.chance(1, 5)) spec.used = everyone_.amounts({{"cpu", one_of({"1", "3", "5"})}});
    const std::uint64_t gpus = rng_.chance(1, 3) ? 0 : 1 + rng_.below(4);
    const std::string slot = one_of({"cuda.shares", "cuda.shares", "rocm.device"});
    const std::string capacity = slot == "cuda.shares" ? one_of({"1", "1", "2"}) : "1";
    for (std::uint64_t i = 0; i < gpus; ++i) {
      DeviceSpec device{"gpu" + std::to_string(i),
                        static_cast<std::int32_t>(rng_.below(2)),
                        everyone_.amounts({{slot, capacity}}),
                        {}};
      if (rng_.chance(1, 6)) device.used = everyone_.amounts({{slot, slot == "cuda.shares" ? "0.3" : "1"}});
      spec.devices.push_back(std::move(device));
    }
    const auto known = plain_.books().agents.find(id);
    if (known !=
        plain_.books().agents.end()) {  // joins again: devices that are held stay, as a real one's would
      spec.devices = known->second.devices;
      if (rng_.chance(1, 3)) spec.slots = everyone_.amounts({{"cpu", "1"}, {"mem", "2g"}});
    }
    plain_.agent(spec);
    for (Recorder* cluster : both_) cluster->cluster.upsert_agent(spec);
  }

  // Drains or is lost, or takes sessions again.
  void drain() {
    AgentSpec spec = plain_.books().agents.at(agent_id());
    bool& flag = rng_.chance(1, 2) ? spec.draining : spec.schedulable;
    flag = !flag;
    plain_.agent(spec);
    for (Recorder* cluster : both_) {
      if (&flag == &spec.draining)
        cluster->cluster.upsert_agent(spec);
      else
        cluster->cluster.set_agent_schedulable(spec.id, spec.schedulable);
    }
  }

  void ask() {
    Amounts slots{{"cpu", one_of({"0.5", "1", "2", "4"})}, {"mem", one_of({"512m", "1g", "4g"})}};
    if (rng_.chance(1, 2))
      slots["cuda.shares"] = one_of({"0.1", "0.3", "0.5", "0.5", "1", "1", "1.5", "2", "4"});
    else if (rng_.chance(1, 4))
      slots["rocm.device"] = one_of({"1", "2"});
    if (rng_.chance(1, 3)) slots["disk"] = one_of({"2g", "5g", "20g"});
    if (rng_.chance(1, 20)) slots["rocm.device"] = "1";  // both of an exclusive set
    PendingSpec spec =
        everyone_.session_spec("s" + std::to_string(++count_), slots, one_of({10, 10, 10, 20}));
    spec.domain = one_of({"d1", "d2"});
    spec.project = one_of({"p1", "p2"});
    spec.user = one_of({"u1", "u2", "u3"});
    if (rng_.chance(1, 6)) spec.created -= static_cast<std::int64_t>(rng_.below(20));
    if (rng_.chance(1, 10)) spec.kernels[0].arch = one_of({"x86_64", "aarch64", "riscv64"});
    if (rng_.chance(1, 6)) spec.kernels[0].count = static_cast<std::uint32_t>(1 + rng_.below(3));
    if (rng_.chance(1, 6))
      spec.kernels.push_back(
          {everyone_.amounts({{"cpu", "1"}, {"cuda.shares", one_of({"0", "0.5"})}}), "", 1});
    // Gangs of unequal kernels have an oracle of their own (gang_test.cc); equal ones are placed one after
    // the other.
    const bool one_device = !slots.contains("cuda.shares") || slots["cuda.shares"] <= "1";
    if (rng_.chance(1, 3) && spec.kernels.size() == 1 && one_device) spec.mode = Mode::kMultiNode;
    if (spec.mode == Mode::kSingleNode && spec.kernels.size() > 1)
      spec.kernels[1].arch = spec.kernels[0].arch;
    if (rng_.chance(1, 10)) spec.designated = {{agent_id(), "nobody"}, rng_.chance(1, 2)};
    if (rng_.chance(1, 8)) spec.volumes = {one_of({"local", "shared", "nobody's"})};
    if (rng_.chance(1, 16)) spec.volumes = {"shared", "local", "shared"};
    if (rng_.chance(1, 8))
      spec.failed_on = {{agent_id(), now_ + one_of({0, 2, 5}) * 10 * kSecond}, {agent_id(), now_ + kMinute}};
    if (combination_.session_groups && rng_.chance(2, 3))
      spec.session_group = {one_of({"g1", "g2"}), one_of({GroupRule::kSpread, GroupRule::kPack}),
                            rng_.chance(1, 2)};
    spec.job_priority = one_of({0, 0, 1, 5});
    spec.preemptible = rng_.chance(5, 6);
    spec.system = rng_.chance(1, 12);
    if (rng_.chance(2, 3)) spec.timeout_s = static_cast<std::uint32_t>(30 * (1 + rng_.below(8)));
    if (rng_.chance(1, 10)) spec.retries = static_cast<std::uint32_t>(rng_.below(3));
    if (rng_.chance(1, 30)) spec.wait_cause = {Code::kStartTime, kNoSlot};
    const RequestFault fault = check_request(everyone_.cluster, "default", spec.kernels[0].slots);
    EXPECT_EQ((Reason{fault.code, fault.slot}), plain_exclusive(everyone_.policy, spec.kernels[0].slots));
    if (fault.code != Code::kNone) spec.wait_cause = {fault.code, fault.slot};
    wait(spec);
  }

  void wait(const PendingSpec& spec) {
    plain_.wait(spec);
    for (Recorder* cluster : both_) cluster->wait(spec);
  }

  // Of those that had to go, some come back.
  void end(const std::string& name) {
    const PlainSession* session = find(name);
    PendingSpec spec = session->spec;
    const bool again = session->leaving && rng_.chance(1, 2);
    plain_.remove(spec.id);
    for (Recorder* cluster : both_) cluster->end(name);
    if (again) wait(spec);
  }
  const PlainSession* find(const std::string& name) const {
    for (const PlainSession& s : plain_.books().sessions) {
      if (s.spec.id == session_id(name)) return &s;
    }
    return nullptr;
  }

  // It runs; some declare their end anew.
  void start(const std::string& name) {
    plain_.started(session_id(name), now_);
    tell_live(name);
    if (!rng_.chance(1, 3)) return;
    const Timestamp ends =
        rng_.chance(1, 4) ? kNeverEnds : now_ + static_cast<Timestamp>(rng_.below(10)) * 30 * kSecond;
    plain_.set_declared_end(session_id(name), ends);
    for (Recorder* cluster : both_) cluster->cluster.set_declared_end(session_id(name), ends);
  }
  // It ends by itself, soon.
  void leave(const std::string& name) {
    plain_.leaves(session_id(name));
    tell_live(name);
  }
  void tell_live(const std::string& name) {
    const PlainSession& s = *find(name);
    LiveFacts facts{s.spec.domain, s.spec.project, s.spec.session_group.name, s.spec.job_priority, false,
                    s.leaving,     s.started};
    facts.preemptible = s.spec.preemptible && !s.spec.system && !s.leaving;
    for (Recorder* cluster : both_) cluster->cluster.set_live(s.spec.id, facts);
  }

  // Also of those with a place held for them.
  void withdraw() {
    std::vector<std::string> all = names(PlainState::kWaiting);
    const std::vector<std::string> reserved = names(PlainState::kReserved);
    all.insert(all.end(), reserved.begin(), reserved.end());
    if (all.empty()) return;
    const SessionId id = session_id(all[rng_.below(all.size())]);
    plain_.remove(id);
    for (Recorder* cluster : both_) cluster->cluster.remove_pending(id);
  }

  // A hold is set or lifted.
  void hold_back() {
    const std::vector<std::string> all = names(PlainState::kWaiting);
    if (all.empty()) return;
    const SessionId id = session_id(all[rng_.below(all.size())]);
    if (find(session_name(id))->spec.wait_cause.code == Code::kExclusiveSlots) return;  // for good
    const Reason hold =
        one_of({Reason{}, Reason{}, Reason{Code::kLimit, kNoSlot}, Reason{Code::kDependency, kNoSlot}});
    plain_.set_wait_cause(id, hold);
    for (Recorder* cluster : both_) cluster->cluster.set_wait_cause(id, hold);
  }

  Rng rng_;
  PlainCombination combination_;
  TestPolicies policies_;
  Recorder everyone_{policies_};  // asked to report all
  Recorder changes_{policies_};   // asked for changes only, sometimes with a small budget
  const std::vector<Recorder*> both_{&everyone_, &changes_};
  Plain plain_{everyone_.cluster};
  int count_ = 0;
  Timestamp now_ = kHour;
  bool count_retries_ = false, placed_ = false;
  std::uint32_t budget_ = 1;
  std::int64_t decisions_ = 0;
};

}  // namespace berth::placement::testing
