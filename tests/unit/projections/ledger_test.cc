// tests/BEHAVIOURS.md section 8: what is taken. Nothing here is stored: it is derived from the kernel rows,
// so it cannot drift.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

constexpr Amount kMem = 4096;

// Agent "a" of 10 cpus and 10240 bytes, as in the rows.
Events cluster(Amount cpus = 10, Amount mem = 10240) {
  return definitions() + Events{agent_enrolled("a"), agent_joined("a", cpus, mem)};
}
Events placed(const std::string& name, Amount cpus, Amount mem) {
  return {session_requested(name, Spec().cpu(cpus).mem(mem)), session_scheduled(name, "a")};
}

TEST(Ledger, G1_SchedulingTakesSlots) {
  Given g = given(cluster() + placed("s1", 2, kMem));
  EXPECT_EQ(g.taken("a", "cpu"), 2 * kUnit);
  EXPECT_EQ(g.taken("a", "mem"), kMem);
  EXPECT_EQ(g.kernel(kernel_name("s1")).state, projections::KernelState::kScheduled);
}

TEST(Ledger, G2_TwoKernelsAddUp) {
  Given g = given(cluster() + placed("s1", 2, kMem) + placed("s2", 3, 2048));
  EXPECT_EQ(g.taken("a", "cpu"), 5 * kUnit);
  EXPECT_EQ(g.taken("a", "mem"), 6144);
  EXPECT_EQ(g.state().kernels_on("a").size(), 2u);
}

TEST(Ledger, G3_TheSamePlacementTwiceIsForbiddenAndTakesNothing) {
  Given g = given(cluster() + placed("s1", 2, kMem));
  g.when({session_scheduled("s1", "a")}).then_forbidden("not PENDING");
  EXPECT_EQ(g.taken("a", "cpu"), 2 * kUnit);
  EXPECT_EQ(g.taken("a", "mem"), kMem);
}

TEST(Ledger, G4_BeyondCapacityIsForbiddenAndTakesNothing) {
  Given g =
      given(cluster(4) + placed("s1", 3, 100) + Events{session_requested("s2", Spec().cpu(2).mem(100))});
  g.when({session_scheduled("s2", "a")}).then_forbidden("beyond capacity: cpu");
  EXPECT_EQ(g.taken("a", "cpu"), 3 * kUnit);
  EXPECT_EQ(g.status("s2"), projections::SessionStatus::kPending);
  EXPECT_FALSE(g.has_kernel(kernel_name("s2")));
}

TEST(Ledger, AGangThatFitsNotWholeTakesNothing) {
  Given g = given(cluster(4) + Events{session_requested("s1", Spec().cpu(2).mem(100).kernels(3))});
  g.when({session_scheduled("s1", {{"a"}, {"a", {}, "main", 2}, {"a", {}, "main", 3}})})
      .then_forbidden("beyond capacity");
  EXPECT_EQ(g.taken("a", "cpu"), 0);
  EXPECT_TRUE(g.state().kernels_on("a").empty());
  EXPECT_EQ(g.state().occupancy().find("a")->containers, 0u);
}

TEST(Ledger, G6_ANeverStartedKernelGivesAllBack) {
  Given g = given(cluster() + placed("s1", 2, kMem));
  g.and_given({session_terminating("s1"), kernel_terminated(kernel_name("s1"), v1::NEVER_STARTED)});
  EXPECT_EQ(g.taken("a", "cpu"), 0);
  EXPECT_EQ(g.taken("a", "mem"), 0);
}

TEST(Ledger, G7_SlotsAreTakenFromSchedulingToTheConfirmedEnd) {
  const std::string k = kernel_name("s1");
  Given g = given(cluster() + placed("s1", 2, kMem));
  for (const auto& event : {kernel_preparing(k), kernel_running(k), session_terminating("s1")}) {
    g.and_given({event});
    EXPECT_EQ(g.taken("a", "cpu"), 2 * kUnit);
  }
  g.and_given({kernel_terminated(k, v1::STOPPED)});
  EXPECT_EQ(g.taken("a", "cpu"), 0);
  EXPECT_EQ(g.taken("a", "mem"), 0);
}

TEST(Ledger, G8_RunningTwiceIsForbiddenAndCountsOnce) {
  Given g = given(cluster() + placed("s1", 2, kMem) + Events{kernel_running(kernel_name("s1"))});
  g.when({kernel_running(kernel_name("s1"))}).then_forbidden("RUNNING to RUNNING");
  EXPECT_EQ(g.taken("a", "cpu"), 2 * kUnit);
}

// G9 (a kernel that uses more than was placed) and G11, G12, G14 (holds): an agent cannot give more than was
// placed, and preemption is not built; see tests/BEHAVIOURS.md, "Ends".

// G10 lets RUNNING follow PREPARED or CREATING only; a kernel here may skip states (kernel_table.h), but
// never go back.
TEST(Ledger, G10_RunningAfterTheEndIsForbidden) {
  Given g = given(cluster() + placed("s1", 2, kMem) + Events{kernel_terminated(kernel_name("s1"))});
  g.when({kernel_running(kernel_name("s1"))}).then_forbidden("TERMINATED to RUNNING");
  EXPECT_EQ(g.taken("a", "cpu"), 0);
}

TEST(Ledger, G16_EightWholeLivesEndAtZero) {
  Given g = given(cluster(4));
  for (int round = 0; round < 2; ++round) {
    Events all;
    for (int i = 0; i < 4; ++i) all = all + placed("s" + std::to_string(4 * round + i), 1, 100);
    g.and_given(all);
    EXPECT_EQ(g.taken("a", "cpu"), 4 * kUnit);
    for (int i = 0; i < 4; ++i) {
      const std::string s = "s" + std::to_string(4 * round + i);
      g.and_given({kernel_running(kernel_name(s)), session_terminating(s),
                   kernel_terminated(kernel_name(s), v1::STOPPED)});
    }
  }
  EXPECT_EQ(g.taken("a", "cpu"), 0);
  EXPECT_EQ(g.taken("a", "mem"), 0);
}

TEST(Ledger, G18_AFailedStartGivesAllBackAtOnce) {
  Given g = given(cluster() + placed("s1", 2, kMem) +
                  Events{kernel_terminated(kernel_name("s1"), v1::START_FAILED)});
  EXPECT_EQ(g.taken("a", "cpu"), 0);
  EXPECT_EQ(g.status("s1"), projections::SessionStatus::kRescheduling);
}

TEST(Ledger, G19_ASecondEndNeverGoesBelowZero) {
  Given g = given(cluster() + placed("s1", 2, kMem) + Events{kernel_terminated(kernel_name("s1"))});
  g.when({kernel_terminated(kernel_name("s1"))}).then_forbidden("TERMINATED to TERMINATED");
  EXPECT_EQ(g.taken("a", "cpu"), 0);
}

TEST(Ledger, TakesDeviceByDevice) {
  const auto half = session_requested("s1", Spec().shares(kUnit / 2));
  Given g = given(definitions() + agent("a1") +
                  Events{half, session_scheduled("s1", {{"a1", {{"gpu1", kUnit / 2}}}})});
  EXPECT_EQ(g.taken("a1", "gpu1", "cuda.shares"), kUnit / 2);
  EXPECT_EQ(g.taken("a1", "gpu0", "cuda.shares"), 0);
  EXPECT_EQ(g.taken("a1", "cuda.shares"), 0) << "what a device gives is not taken from the agent as well";
  EXPECT_EQ(g.taken("a1", "cpu"), kUnit);
}

TEST(Ledger, EnoughInSumButOnNoSingleDeviceIsForbidden) {
  const auto most = [](const std::string& name) {
    return session_requested(name, Spec().shares(6 * kUnit / 10));
  };
  Given g =
      given(definitions() + agent("a1") +
            Events{most("s1"), most("s2"), session_scheduled("s1", {{"a1", {{"gpu0", 6 * kUnit / 10}}}})});
  g.when({session_scheduled("s2", {{"a1", {{"gpu0", 6 * kUnit / 10}}}})})
      .then_forbidden("cuda.shares of gpu0");
  EXPECT_EQ(g.taken("a1", "gpu0", "cuda.shares"), 6 * kUnit / 10);
}

TEST(Ledger, ADeviceThatIsNotThereIsForbidden) {
  const auto half = session_requested("s1", Spec().shares(kUnit / 2));
  given(definitions() + agent("a1") + Events{half})
      .when({session_scheduled("s1", {{"a1", {{"gpu7", kUnit / 2}}}})})
      .then_forbidden("no device gpu7");
  given(definitions() + agent("a1") + Events{half})
      .when({session_scheduled("s1", {{"a1", {{"gpu0", 0}}}})})
      .then_forbidden("");
}

TEST(Ledger, P8_AFactIsNeverRefusedForAmounts) {
  Given g = given(cluster(10) + placed("s1", 8, kMem));
  g.when({agent_joined("a", 4, 10240, {}, 2)}).then_applied();
  EXPECT_EQ(g.taken("a", "cpu"), 8 * kUnit) << "over-committed: 4 - 8 is free";
  g.and_given({session_requested("s2", Spec().cpu(1).mem(10))});
  g.when({session_scheduled("s2", "a")}).then_forbidden("beyond capacity: cpu");
}

TEST(Ledger, P8_KernelsOfADeviceThatIsGoneKeepTheirShares) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1", Spec().shares(kUnit)),
                         session_scheduled("s1", {{"a1", {{"gpu1", kUnit}}}}),
                         agent_joined("a1", 8, 16 * kGiga, {gpu("gpu0")}, 2)});
  EXPECT_EQ(g.taken("a1", "gpu1", "cuda.shares"), kUnit);
  g.when({kernel_terminated(kernel_name("s1"))}).then_applied();
  EXPECT_EQ(g.taken("a1", "gpu1", "cuda.shares"), 0);
}

TEST(Ledger, AsManyContainersAsTheAgentSays) {
  auto joined = agent_joined("a", 10, 10240);
  joined.mutable_agent_joined()->set_max_containers(1);
  Given g = given(definitions() + Events{agent_enrolled("a"), joined} + placed("s1", 1, 10) +
                  Events{session_requested("s2", Spec().mem(10))});
  g.when({session_scheduled("s2", "a")}).then_forbidden("containers of agent a");
}

}  // namespace
}  // namespace berth::testing
