// What the passing of time does.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

using projections::TimerKind;

Cause fire_timer(TimerKind kind, const std::string& session) {
  return [timer = projections::Timer{0, kind, session_id(session)}](const controller::DecisionContext& c) {
    return controller::fire_timer(c, timer);
  };
}

Cause cancel_dependent(const std::string& session) {
  return [session](const controller::DecisionContext& c) {
    return controller::cancel_dependent(c, *c.state.sessions.find(session_id(session)));
  };
}

Cause lose_agent(const std::string& agent) {
  return [agent](const controller::DecisionContext& c) {
    return controller::lose_agent(c, *c.state.agents.find(agent));
  };
}

Cause end_kernel(const std::string& kernel, v1::KernelEnd end, const std::string& message) {
  return [kernel, end, message](const controller::DecisionContext& c) {
    return controller::end_kernel(c, *c.state.kernels.find(kernel_id(kernel)), end, message);
  };
}

TEST(FireTimer, APendingTimeoutCancels) {
  given(world() + Events{session_requested("s1", Spec().pending_timeout(kHour))})
      .after(kHour)
      .when(fire_timer(TimerKind::kPendingTimeout, "s1"))
      .then({session_cancelled("s1", "pending-timeout")});
}

TEST(FireTimer, ABatchTimeoutTerminatesWithoutForce) {
  given(world() + running("s1", "a1", Spec().batch().batch_timeout(kHour)))
      .after(kHour)
      .when(fire_timer(TimerKind::kBatchTimeout, "s1"))
      .then({session_terminating("s1", "batch-timeout", false)});
}

TEST(FireTimer, OfASessionThatIsGoneItDoesNothing) {
  for (const auto kind : {TimerKind::kPendingTimeout, TimerKind::kBatchTimeout})
    given(world()).when(fire_timer(kind, "s9")).then({});
}

TEST(CancelDependent, V4_ItsDependencyFailedAndItGoes) {
  Spec after_d1 = Spec().batch();
  after_d1.proto().add_depends_on(wire("d1"));
  given(world() + Events{session_requested("d1", Spec().batch()), session_requested("s1", after_d1),
                         session_cancelled("d1")})
      .when(cancel_dependent("s1"))
      .then({session_cancelled("s1", "dependency-failed")});
}

TEST(LoseAgent, ItsIncarnationIsLost) {
  given(world()).when(lose_agent("a1")).then({agent_lost("a1")});
  given(world() + Events{agent_joined("a1", 8, 16 * kGiga, {}, 2)})
      .when(lose_agent("a1"))
      .then({agent_lost("a1", 2)});
}

TEST(EndKernel, ItEndsNowAndBeganWhenItRan) {
  Case c = given(world() + running("s1", "a1", Spec().requeueable()) + Events{agent_lost("a1")});
  c.after(kMinute).when(end_kernel(kernel_name("s1"), v1::AGENT_LOST, "its lease is over"));
  v1::Event ended = kernel_terminated(kernel_name("s1"), v1::AGENT_LOST);
  ended.mutable_kernel_terminated()->set_ended_ns(c.decided_at());
  ended.mutable_kernel_terminated()->set_message("its lease is over");
  c.then({ended});
}

}  // namespace
}  // namespace berth::testing::decisions
