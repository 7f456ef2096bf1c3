// The diagram of kernel_table.h: every pair of states.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::KernelState;

const std::string kKernel = kernel_name("s1");

constexpr KernelState kStates[] = {KernelState::kScheduled, KernelState::kPreparing, KernelState::kPulling,
                                   KernelState::kPrepared,  KernelState::kCreating,  KernelState::kRunning,
                                   KernelState::kTerminated};

v1::Event event_to(KernelState state, std::uint32_t attempt = 1) {
  switch (state) {
    case KernelState::kPreparing: return kernel_preparing(kKernel, attempt);
    case KernelState::kPulling: return kernel_pulling(kKernel, 50, attempt);
    case KernelState::kPrepared: return kernel_prepared(kKernel, attempt);
    case KernelState::kCreating: return kernel_creating(kKernel, attempt);
    case KernelState::kRunning: return kernel_running(kKernel, attempt);
    case KernelState::kTerminated: return kernel_terminated(kKernel, v1::EXITED, 0, attempt);
    case KernelState::kScheduled: break;
  }
  return {};
}

Given scheduled() {
  return given(definitions() + agent("a1") + Events{session_requested("s1"), session_scheduled("s1", "a1")});
}

Given kernel_in(KernelState state) {
  Given g = scheduled();
  if (state != KernelState::kScheduled) g.and_given({event_to(state)});
  return g;
}

TEST(KernelTransitions, OnlyGoForwardAndMaySkip) {
  for (const KernelState from : kStates) {
    for (const KernelState to : kStates) {
      if (to == KernelState::kScheduled) continue;  // no event says it
      SCOPED_TRACE(std::string(name_of(from)) + " -> " + name_of(to));
      Given g = kernel_in(from);
      ASSERT_EQ(g.kernel(kKernel).state, from);
      g.when({event_to(to)});
      const bool allowed = to > from || (from == KernelState::kPulling && to == KernelState::kPulling);
      if (allowed)
        g.then_applied();
      else
        g.then_forbidden(std::string("a kernel does not go from ") + name_of(from) + " to " + name_of(to));
      EXPECT_EQ(g.kernel(kKernel).state, allowed ? to : from);
    }
  }
}

TEST(KernelTransitions, PullingTellsItsPercentAgainAndAgain) {
  Given g = scheduled();
  g.and_given({kernel_pulling(kKernel, 10), kernel_pulling(kKernel, 90)});
  EXPECT_EQ(g.kernel(kKernel).percent, 90u);
  EXPECT_EQ(g.status("s1"), projections::SessionStatus::kPulling);
}

TEST(KernelTransitions, RunningTellsWhenAndWhichProcess) {
  Given g = scheduled();
  g.and_given({kernel_running(kKernel)});
  EXPECT_EQ(g.kernel(kKernel).pid, 4711);
  EXPECT_EQ(g.kernel(kKernel).started_at, 1'700'000'000 * kSecond);
}

TEST(KernelTransitions, P22_AFactOfAnotherAttemptIsForbidden) {
  for (const std::uint32_t attempt : {0u, 2u}) {
    Given g = scheduled();
    g.when({event_to(KernelState::kRunning, attempt)}).then_forbidden("no such kernel and attempt");
    EXPECT_EQ(g.kernel(kKernel).state, KernelState::kScheduled);
  }
}

TEST(KernelTransitions, AnUnknownKernelIsForbidden) {
  scheduled().when({kernel_running("nobody")}).then_forbidden("no such kernel and attempt");
}

TEST(KernelTransitions, TheEndIsCopiedAsItsAgentSaidIt) {
  Given g = kernel_in(KernelState::kRunning);
  g.and_given({kernel_terminated(kKernel, v1::OUT_OF_MEMORY, 137)});
  const auto& kernel = g.kernel(kKernel);
  EXPECT_EQ(kernel.end, static_cast<std::uint32_t>(v1::OUT_OF_MEMORY));
  EXPECT_EQ(kernel.exit_code, 137);
  EXPECT_EQ(kernel.ended_at, 1'700'000'001 * kSecond);
  EXPECT_FALSE(kernel.holds_slots());
}

TEST(KernelIds, DeriveFromSessionElectionRoleAndIndexAlone) {
  const Uuid election = nonce_of_election(1);
  const auto id = projections::derive_kernel_id(session_id("s1"), election, "main", 1);
  EXPECT_EQ(id, projections::derive_kernel_id(session_id("s1"), election, "main", 1));
  EXPECT_NE(id, projections::derive_kernel_id(session_id("s1"), election, "main", 2));
  EXPECT_NE(id, projections::derive_kernel_id(session_id("s1"), election, "sub", 1));
  EXPECT_NE(id, projections::derive_kernel_id(session_id("s2"), election, "main", 1));
  EXPECT_NE(id, projections::derive_kernel_id(session_id("s1"), nonce_of_election(2), "main", 1));
}

}  // namespace
}  // namespace berth::testing
