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
  v1::Request for_nobody = terminate_session("s1");
  for_nobody.set_actor("controller");
  for_nobody.clear_owner();
  c.when(for_nobody).then({session_cancelled("s1")});
}

TEST(TerminateSession, ItsOwnerAndTheAdminsOfItsProjectAndDomainAndASuperadminEndIt) {
  const Events people = {project_defined("default", "other"), user_with_role("dave", "domain-admin"),
                         user_with_role("monty", "monitor"), user_with_role("root", "superadmin")};
  Events admins = {user_defined("pat"), user_defined("paul")};
  admins[0].mutable_user_defined()->add_admin_of("default");
  admins[1].mutable_user_defined()->add_projects("other");
  admins[1].mutable_user_defined()->add_admin_of("other");
  const auto ends = [&](const std::string& user) {
    Case c = given(world() + people + admins + Events{session_requested("s1")});
    c.when(sent_by(terminate_session("s1"), user));
    return c;
  };
  for (const char* user : {"alice", "pat", "dave", "root"}) ends(user).then({session_cancelled("s1")});
  for (const char* user : {"bob", "paul"}) ends(user).then_refused("unknown-session");
  ends("monty").then_refused("denied");
}

TEST(TerminateSessions, ThoseThatLiveAndAreTheActorsEndAndNothingHappensToTheOthers) {
  Case c = given(world() + running("s1", "a1") +
                 Events{session_requested("s2"), session_requested("s3", Spec(), "bob"),
                        session_requested("s4"), session_cancelled("s4")});
  c.when(terminate_sessions({"s1", "s2", "s3", "s4", "s9", "s2"}))
      .then({session_terminating("s1"), session_cancelled("s2")});
  c.when(terminate_sessions({"s1", "s3"})).then_refused("nothing-to-end");
}

TEST(TerminateSessions, MoreThanADecisionHoldsAreRefused) {
  std::vector<std::string> many;
  for (int i = 0; i < 501; ++i) many.push_back("s" + std::to_string(i));
  given(world()).when(terminate_sessions(many)).then_refused("request-too-large");
}

TEST(TerminateSessions, P4_AsManyAsADecisionHoldsFitARecord) {
  Case c = given(world());
  std::vector<std::string> many;
  for (int i = 0; i < 500; ++i) {
    many.push_back("s" + std::to_string(i));
    c.and_given({session_requested(many.back())});
  }
  v1::Request r = terminate_sessions(many);
  r.mutable_terminate_sessions()->set_reason(std::string(500, 'r'));
  r.set_reason(std::string(500, 'r'));
  c.when(r);
  EXPECT_EQ(c.decided().size(), 500u);
}

}  // namespace
}  // namespace berth::testing::decisions
