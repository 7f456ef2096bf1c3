// tests/BEHAVIOURS.md section 14, rows C1..C6: one agent of 16 cpus and 32768 MiB; limits of the key pair
// 100/102400, the project 500/524288, the domain 1000/1048576 (cpus / MiB).
#include "controller/api/map/check_presets.h"

#include <gtest/gtest.h>

#include "controller/api/map/indicator.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::testing {
namespace {

using namespace controller::api;  // NOLINT(google-build-using-namespace)

v1::Owner alice() {
  v1::Owner owner = berth::testing::owner("alice");
  owner.set_keypair("k1");
  return owner;
}

Events world() {
  return definitions() +
         Events{agent_enrolled("a1"), agent_joined("a1", 16, 32768 * kMega),
                Limit("keypair", "k1").slot("cpu", 100 * kUnit).slot("mem", 102400 * kMega),
                Limit("project", "default/default").slot("cpu", 500 * kUnit).slot("mem", 524288 * kMega),
                Limit("domain", "default").slot("cpu", 1000 * kUnit).slot("mem", 1048576 * kMega)};
}

v1::Event asked(const std::string& name, Amount cpu, Amount mib) {
  v1::Event e = session_requested(name, Spec().cpu(cpu).mem(mib * kMega));
  *e.mutable_session_requested()->mutable_owner() = alice();
  return e;
}

Events runs(const std::string& name, Amount cpu, Amount mib) {
  return {asked(name, cpu, mib), session_scheduled(name, "a1"), kernel_running(kernel_name(name))};
}

// "cpu/mem", in cpus and MiB.
std::string text(const std::map<std::string, Amount>& amounts) {
  return std::to_string(amounts.at("cpu") / kUnit) + "/" + std::to_string(amounts.at("mem") / kMega);
}

std::string report(const Events& history) {
  Given g = given(history);
  const PresetReport out = check_presets(g.state(), alice(), "default");
  return text(out.held) + " " + text(out.remaining);
}

v1::Event joined_later(const std::string& name, Amount cpu, Amount mib) {
  return agent_joined(name, cpu, mib * kMega);
}

TEST(CheckPresets, C1_RunningIsUsed) { EXPECT_EQ(report(world() + runs("s1", 4, 8192)), "4/8192 12/24576"); }

TEST(CheckPresets, ReservedIsSubtractedToo) {
  EXPECT_EQ(report(world() + Events{asked("s1", 4, 8192), session_scheduled("s1", "a1")}), "4/8192 12/24576");
}

TEST(CheckPresets, C3_PendingIsNothing) {
  EXPECT_EQ(report(world() + Events{asked("s1", 4, 8192)}), "0/0 16/32768");
}

// C4: there is no cached figure that could lie: it is the sum over what is held.
TEST(CheckPresets, C4_IsTheSumOfWhatIsHeld) {
  EXPECT_EQ(report(world() + runs("s1", 1, 2048) + runs("s2", 2, 4096)), "3/6144 13/26624");
}

TEST(CheckPresets, C5_OnlyAgentsThatTakeSessionsCount) {
  const Events agents = {agent_enrolled("a2"),
                         joined_later("a2", 16, 32768),
                         agent_enrolled("b1"),
                         joined_later("b1", 100, 204800),
                         agent_lost("b1"),
                         agent_enrolled("b2"),
                         joined_later("b2", 100, 204800),
                         agent_left("b2"),
                         agent_enrolled("b3"),
                         joined_later("b3", 100, 204800),
                         agent_drain_changed("b3", true),
                         agent_enrolled("b4")};
  EXPECT_EQ(report(world() + agents), "0/0 32/65536");
}

TEST(CheckPresets, C6_EverySlotIsThereWithNothingRunning) {
  Given g = given(world());
  const PresetReport out = check_presets(g.state(), alice(), "default");
  EXPECT_EQ(out.held.size(), g.state().slot_types.size());
  EXPECT_EQ(out.held.at("cuda.shares"), 0);
  ASSERT_EQ(out.scopes.back().scope, v1::SCOPE_KIND_KEYPAIR);
  EXPECT_EQ(out.scopes.back().remaining.at("cpu"), 100 * kUnit);
  EXPECT_EQ(out.scopes.back().remaining.at("mem"), 102400 * kMega);
  EXPECT_EQ(out.scopes.back().remaining.at("cuda.shares"), std::nullopt);
}

TEST(CheckPresets, RemainingIsTheLeastOfLimitsAndAgents) {
  EXPECT_EQ(report(world() + Events{Limit("user", "alice").slot("cpu", 5 * kUnit)} + runs("s1", 2, 1024)),
            "2/1024 3/31744");
}

TEST(CheckPresets, APresetNeedsOneAgentAndTheLimits) {
  const auto preset = [](const std::string& name, Amount cpu) {
    v1::Event e;
    e.mutable_preset_defined()->set_name(name);
    auto* slot = e.mutable_preset_defined()->add_slots();
    slot->set_slot("cpu");
    slot->set_amount(cpu * kUnit);
    return e;
  };
  const Events presets = {preset("a-small", 4), preset("b-whole", 16), preset("c-two", 20)};
  const auto allocatable = [&](const Events& more) {
    Given g = given(world() + Events{agent_enrolled("a2"), joined_later("a2", 16, 32768)} + presets + more);
    std::string out;
    for (const auto& check : check_presets(g.state(), alice(), "default").presets)
      out += check.allocatable ? "y" : "n";
    return out;
  };
  EXPECT_EQ(allocatable({}), "yyn");
  EXPECT_EQ(allocatable({Limit("user", "alice").slot("cpu", 10 * kUnit)}), "ynn");
  EXPECT_EQ(allocatable({Limit("user", "alice").sessions(0)}), "nnn");
}

// The indicator's R is section 14's remaining.
TEST(Indicator, IsBoundedByWhatLimitsLeave) {
  Given g = given(world() + Events{Limit("user", "alice").slot("cpu", 5 * kUnit)} + runs("s1", 2, 1024));
  EXPECT_EQ(indicator(g.state(), "alice", "default").at("cpu").remaining, 3 * kUnit);
}

}  // namespace
}  // namespace berth::testing
