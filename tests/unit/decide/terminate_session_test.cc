#include <algorithm>

#include "controller/decide/decision.h"
#include "projections/tables/session_bounds.h"
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

using projections::SessionStatus;

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

// What a user says is for people: the reason that programs look at stays a code.
TEST(TerminateSession, WhatTheUserSaysStandsBesideTheReason) {
  Case runs = given(world() + running("s1", "a1"));
  v1::Event ends = session_terminating("s1", "user-requested");
  ends.set_reason("idle");
  runs.when(terminate_session("s1", false, "idle")).then({ends});
  EXPECT_EQ(runs.state().sessions.find(session_id("s1"))->message, "idle");
  Case waits = given(world() + Events{session_requested("s1")});
  v1::Event cancelled = session_cancelled("s1", "user-requested");
  cancelled.set_reason("idle");
  waits.when(terminate_session("s1", false, "idle")).then({cancelled});
  EXPECT_EQ(waits.state().sessions.find(session_id("s1"))->reason_code, "user-requested");
  EXPECT_EQ(waits.state().sessions.find(session_id("s1"))->message, "idle");
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
  r.set_reason(std::string(500, 'r'));
  c.when(r);
  EXPECT_EQ(c.decided().size(), 500u);
}

// ---- by a filter ----

std::vector<std::string> numbered(int from, int to) {
  std::vector<std::string> names;
  for (int i = from; i < to; ++i) names.push_back("s" + std::to_string(i));
  return names;
}

void add_sessions(Case& c, const std::vector<std::string>& names) {
  constexpr std::size_t kOfARecord = 500;
  for (std::size_t at = 0; at < names.size(); at += kOfARecord) {
    Events events;
    for (std::size_t i = at; i < std::min(at + kOfARecord, names.size()); ++i)
      events.push_back(session_requested(names[i]));
    c.Given::when(events).then_applied();
  }
}

TEST(TerminateSessions, AFilterSelectsOnceAndTheSelectionAloneEnds) {
  Case c = given(world() + running("s1", "a1") +
                 Events{session_requested("s2"), session_requested("s3", Spec(), "bob"),
                        session_requested("s4"), session_cancelled("s4")});
  c.when(select_to_end("", 2, "all")).then({termination_begun({"s1", "s2"})});
  EXPECT_EQ(c.status("s2"), SessionStatus::kPending) << "a part of it ends them";
  c.and_given({session_requested("late")});
  c.when(end_selected("all")).then({session_terminating("s1"), session_cancelled("s2")});
  EXPECT_EQ(c.status("late"), SessionStatus::kPending);
}

TEST(TerminateSessions, ALaterPartGoesOnWhereTheOneBeforeItEnded) {
  Case c = given(world());
  add_sessions(c, numbered(0, 502));
  c.when(select_to_end("PENDING", 502, "all"));
  c.when(end_selected("all"));
  EXPECT_EQ(c.decided().size(), projections::kEndsPerRequestMax);
  c.and_given({session_requested("late")});
  c.when(end_selected("all", 500)).then({session_cancelled("s500"), session_cancelled("s501")});
  c.when(end_selected("all", 502)).then_refused("nothing-to-end");
  EXPECT_EQ(c.status("late"), SessionStatus::kPending);
}

TEST(TerminateSessions, P35_AfterAFailoverTheSelectionIsTheSameWhateverItsSessionsDo) {
  Case c = given(world() + Events{session_requested("s1"), session_requested("s2"), session_requested("s3")});
  c.when(select_to_end("PENDING", 3, "all"));
  c.and_given({session_scheduled("s1", "a1"), session_cancelled("s3")});
  c.when_elected();
  c.when(end_selected("all")).then({session_terminating("s1"), session_cancelled("s2")});
}

TEST(TerminateSessions, P13_ARepeatOfAFilterHasTheFirstSelection) {
  Case c = given(world() + Events{session_requested("s1")});
  const v1::Request all = select_to_end("", 1, "all");
  c.when(all);
  c.when(end_selected("all"));
  c.and_given({session_requested("late")});
  c.when(all);
  ASSERT_EQ(c.decided().size(), 1u);
  EXPECT_TRUE(c.decided()[0].has_request_repeated());
  EXPECT_EQ(c.request("user:alice", "all")->selected, std::vector{session_id("s1")});
}

TEST(TerminateSessions, P13_TheSameKeyForAnotherFilterIsAConflict) {
  Case c = given(world() + Events{session_requested("s1")});
  c.when(select_to_end("", 1, "all"));
  v1::Request forced = select_to_end("", 1, "all");
  forced.mutable_terminate_sessions()->set_forced(true);
  for (const v1::Request& other : {select_to_end("PENDING", 1, "all"), select_to_end("", 2, "all"), forced,
                                   keyed(terminate_sessions({"s1"}), "all")})
    c.when(other).then_refused("idempotency-conflict");
  EXPECT_EQ(c.status("s1"), SessionStatus::kPending);
}

TEST(TerminateSessions, AFilterHasAsManySessionsAsWereCounted) {
  Case c = given(world() + Events{session_requested("s1")});
  c.when(select_to_end("", 2, "k1")).then_refused("count-changed");
  c.when(select_to_end("RUNNING", 1, "k2")).then_refused("count-changed");
  c.when(select_to_end("WALKING", 0, "k3")).then({termination_begun({})});
  c.when(select_to_end("WALKING", 0, "k3"));
  EXPECT_TRUE(c.decided().at(0).has_request_repeated());
}

TEST(TerminateSessions, AFilterSelectsByOwnerGroupAndName) {
  const Events people = {user_with_role("root", "superadmin")};
  const auto selected = [&](const std::function<void(v1::SessionFilter&)>& fill) {
    Case c =
        given(world() + people + Events{session_requested("s1"), session_requested("s2", Spec(), "bob")});
    v1::Request r = sent_by(select_to_end("", 1, "all"), "root");
    fill(*r.mutable_terminate_sessions()->mutable_filter());
    c.when(r);
    return c.decided().at(0);
  };
  const auto is = [](const v1::Event& event, const std::string& session) {
    return event.termination_begun().selected_size() == 1 &&
           event.termination_begun().selected(0) == wire(session);
  };
  EXPECT_TRUE(is(selected([](auto& f) { f.set_user("bob"); }), "s2"));
  EXPECT_TRUE(is(selected([](auto& f) { f.set_name("s1"); }), "s1"));
  for (const auto& fill : std::vector<std::function<void(v1::SessionFilter&)>>{
           [](auto& f) { f.set_group("other"); }, [](auto& f) { f.set_project("other"); }, [](auto&) {},
           [](auto& f) { f.set_project("default/default"); }, [](auto& f) { f.set_project("default"); }})
    EXPECT_EQ(selected(fill).request_refused().code(), "count-changed");
}

TEST(TerminateSessions, AFilterSelectsWhatTheActorMayEnd) {
  const Events people = {user_with_role("monty", "monitor"), user_with_role("root", "superadmin")};
  Case c = given(world() + people + Events{session_requested("s1"), session_requested("s2", Spec(), "bob")});
  c.when(sent_by(select_to_end("", 0, "k1"), "monty")).then({termination_begun({})});
  c.when(sent_by(select_to_end("", 1, "k2"), "bob")).then({termination_begun({"s2"})});
  c.when(sent_by(select_to_end("", 2, "k3"), "root")).then({termination_begun({"s1", "s2"})});
  c.when(sent_by(end_selected("k3"), "alice")).then_refused("unknown-termination");
  c.when(sent_by(end_selected("k3"), "root")).then({session_cancelled("s1"), session_cancelled("s2")});
}

TEST(TerminateSessions, APartOfWhatSelectedNothingIsRefused) {
  Case c = given(world() + Events{session_requested("s1")});
  c.when(keyed(terminate_sessions({"s1"}), "ids")).then({session_cancelled("s1")});
  for (const char* key : {"ids", "none"}) c.when(end_selected(key)).then_refused("unknown-termination");
  v1::Request damaged = end_selected("none");
  damaged.mutable_terminate_sessions()->set_begun_by("short");
  c.when(damaged).then_refused("unknown-termination");
}

TEST(TerminateSessions, P4_AsManyAsAFilterMaySelectFitARecordAndOneMoreIsRefused) {
  Case c = given(world());
  const int most = static_cast<int>(projections::kSelectedMax);
  add_sessions(c, numbered(0, most));
  v1::Request r = select_to_end("", static_cast<std::uint32_t>(most), "k1");
  r.set_reason(std::string(500, 'r'));
  c.when(r);
  ASSERT_EQ(c.decided().size(), 1u);
  EXPECT_EQ(c.decided()[0].termination_begun().selected_size(), most);
  EXPECT_LT(c.decided()[0].ByteSizeLong(), controller::kDecisionBytesMax);
  c.and_given({session_requested("more")});
  c.when(select_to_end("", static_cast<std::uint32_t>(most) + 1, "k2")).then_refused("too-many-sessions");
}

}  // namespace
}  // namespace berth::testing::decisions
