#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(TerminateSession, CancelsAPendingSession) {
  given(world() + Events{session_requested("s1")})
      .when(terminate_session("s1"))
      .then({session_cancelled("s1", "user-requested")});
}

TEST(TerminateSession, CancelsAReservedSession) {
  Case c = given(world() + running("s0", "a1", Spec().cpu(8)) +
                 Events{session_requested("s1", Spec().cpu(8).job_priority(10))});
  c.and_given({session_preempted("s0", "s1")}).and_given({session_reserved("s1", "a1")});
  c.when(terminate_session("s1")).then({session_cancelled("s1", "user-requested")});
}

TEST(TerminateSession, TellsASessionThatHoldsSlotsToStop) {
  const Events scheduled = {session_requested("s1"), session_scheduled("s1", "a1")};
  for (const Events& history : {scheduled, running("s1", "a1")}) {
    Case c = given(world() + history);
    c.when(terminate_session("s1")).then({session_terminating("s1", "user-requested")});
    EXPECT_GT(c.taken("a1", "cpu"), 0) << "free only when its end is confirmed";
  }
}

TEST(TerminateSession, KeepsTheReasonOfTheRequest) {
  given(world() + running("s1", "a1"))
      .when(terminate_session("s1", false, "idle"))
      .then({session_terminating("s1", "idle")});
}

TEST(TerminateSession, KeepsTheReasonForAWaitingSessionToo) {
  given(world() + Events{session_requested("s1")})
      .when(terminate_session("s1", false, "idle"))
      .then({session_cancelled("s1", "idle")});
}

TEST(TerminateSession, ForceIsForASessionThatIsEndingAlreadyToo) {
  given(world() + running("s1", "a1"))
      .when(terminate_session("s1"))
      .then({session_terminating("s1")})
      .when(terminate_session("s1"))
      .then_refused("session-terminating")
      .when(terminate_session("s1", true))
      .then({session_terminating("s1", "user-requested", true)});
}

TEST(TerminateSession, ASessionThatHasEndedIsRefused) {
  given(world() + Events{session_requested("s1")})
      .when(terminate_session("s1"))
      .then({session_cancelled("s1")})
      .when(terminate_session("s1"))
      .then_refused("session-ended");
  given(world() + running("s1", "a1") + Events{kernel_terminated(kernel_name("s1"))})
      .when(terminate_session("s1"))
      .then_refused("session-ended");
}

TEST(TerminateSession, AnUnknownSessionIsRefused) {
  given(world()).when(terminate_session("s9")).then_refused("unknown-session");
}

TEST(TerminateSession, ASessionOfAnotherUserIsUnknown) {
  Case c = given(world() + Events{session_requested("s1")});
  c.when(sent_by(terminate_session("s1"), "bob")).then_refused("unknown-session");
  v1::Request for_nobody = sent_by(terminate_session("s1"), "admin");
  for_nobody.clear_owner();
  c.when(for_nobody).then({session_cancelled("s1")});
}

}  // namespace
}  // namespace berth::testing::decisions
