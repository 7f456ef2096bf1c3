// Preemption, session groups and avoided agents, from the fold through the mirror to a pass and back
// (tests/BEHAVIOURS.md sections 3.5, 4, 8).
#include "tests/support/limits.h"
#include "tests/support/words.h"
#include "tests/unit/feed/pass_fixture.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)
using Lines = std::vector<std::string>;
using enum projections::SessionStatus;

v1::Event preempting_group(const std::string& order = "oldest", const std::string& mode = "terminate",
                           const std::string& scope = "user", Duration min_runtime = 0) {
  v1::Event e = group_defined("default");
  auto* preemption = e.mutable_resource_group_defined()->mutable_preemption();
  preemption->set_enabled(true);
  preemption->set_order(order);
  preemption->set_mode(mode);
  preemption->set_scope(value_of<v1::ScopeKind>(scope));
  preemption->set_min_runtime_ms(min_runtime / kMillisecond);
  return e;
}

// Section 4: one agent of 8 cpus; OLD and NEW hold what is said and run, in this order.
class Preempt : public PassTest {
 protected:
  Preempt() : PassTest(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 8, 64 * kGiga)}) {}

  void run(const std::string& name, const v1::SessionSpec& spec, const std::string& user = "alice") {
    given_.and_given({session_requested(name, spec, user)});
    ASSERT_EQ(pass(), (Lines{name + " a1"}));
    v1::Event e = kernel_running("x", given_.session(name).attempt);
    e.mutable_kernel_running()->set_kernel_id(std::string(given_.session(name).kernel_ids.front().view()));
    given_.and_given({e});
  }
  // Full but for nothing: OLD and NEW of two cpus each, and four that nobody may have.
  void given_full(Spec old_one, Spec new_one, const v1::Event& group = preempting_group()) {
    given_.and_given({group});
    run("rest", Spec().cpu(4).not_preemptible());
    run("OLD", old_one.cpu(2));
    run("NEW", new_one.cpu(2));
  }
  static Spec job(std::int32_t priority, Amount cpu = 1) { return Spec().cpu(cpu).job_priority(priority); }
  Lines ask(const v1::SessionSpec& spec, const std::string& user = "alice") {
    given_.and_given({session_requested("high", spec, user)});
    return pass();
  }
};

TEST_F(Preempt, IsOffUnlessTheGroupTurnsItOn) {
  given_full(job(1), job(1), group_defined("default"));
  EXPECT_EQ(ask(job(5, 2)), (Lines{"high no-capacity"}));
}

TEST_F(Preempt, PR1_TheOldestGoes) {
  given_full(job(1), job(1));
  EXPECT_EQ(ask(job(5, 2)), (Lines{"high held a1 instead of OLD"}));
  EXPECT_EQ(given_.status("high"), kReserved);
  EXPECT_EQ(given_.status("OLD"), kTerminating);
  EXPECT_EQ(given_.status("NEW"), kRunning);
  EXPECT_EQ(pass(), (Lines{}));
  end("OLD", v1::STOPPED);
  EXPECT_EQ(pass(), (Lines{"high a1"}));
  EXPECT_EQ(given_.session("OLD").reason_code, "preempted");
}

TEST_F(Preempt, PR2_TheNewestGoes) {
  given_full(job(1), job(1), preempting_group("newest"));
  EXPECT_EQ(ask(job(5, 2)), (Lines{"high held a1 instead of NEW"}));
}

TEST_F(Preempt, PR3_TheLowerJobPriorityGoesFirst) {
  given_full(job(3), job(1));
  EXPECT_EQ(ask(job(5, 2)), (Lines{"high held a1 instead of NEW"}));
}

TEST_F(Preempt, PR4_AnEqualJobPriorityIsNoVictim) {
  given_full(job(5), job(5));
  EXPECT_EQ(ask(job(5, 2)), (Lines{"high no-capacity"}));
}

TEST_F(Preempt, PR5_NobodyDiesForNothing) {
  given_full(job(1), job(5));
  EXPECT_EQ(ask(job(5, 4)), (Lines{"high no-capacity"}));
  EXPECT_EQ(given_.status("OLD"), kRunning);
}

TEST_F(Preempt, PR6_BothGoInOneRecord) {
  given_full(job(1), job(1));
  const auto before = given_.projection().counters().applied;
  EXPECT_EQ(ask(job(5, 4)), (Lines{"high held a1 instead of OLD,NEW"}));
  EXPECT_EQ(given_.projection().counters().applied, before + 2);  // the request, and the plan (P4)
}

TEST_F(Preempt, PR12_NotPreemptibleSystemAndEndingOnesAreNoVictims) {
  given_full(job(1).not_preemptible(), job(1).type(v1::SYSTEM));
  EXPECT_EQ(ask(job(5, 2)), (Lines{"high no-capacity"}));
  given_.and_given({session_terminating("OLD")});
  EXPECT_EQ(pass(), (Lines{}));  // it comes free anyway
  end("OLD");
  EXPECT_EQ(pass(), (Lines{"high a1"}));
}

TEST_F(Preempt, PR12_AScheduledOneIsAVictim) {
  given_.and_given({preempting_group(), session_requested("low", job(1, 8))});
  EXPECT_EQ(pass(), (Lines{"low a1"}));
  EXPECT_EQ(ask(job(5, 8)), (Lines{"high held a1 instead of low"}));
}

TEST_F(Preempt, PR14_ASystemSessionNeverPreempts) {
  given_full(job(1), job(1));
  EXPECT_EQ(ask(job(5, 2).type(v1::SYSTEM)), (Lines{"high no-capacity"}));
}

TEST_F(Preempt, PR16_WhoHasRunForLessIsLeftAloneUntilTimeHasPassed) {
  given_full(job(1), job(1), preempting_group("oldest", "terminate", "user", 30 * kMinute));
  EXPECT_EQ(ask(job(5, 2)), (Lines{"high no-capacity"}));
  given_.after(31 * kMinute);
  EXPECT_FALSE(feed_.cluster().needs_pass("default"));
  feed_.cluster().interval_passed();  // what the leader's interval does
  EXPECT_TRUE(feed_.cluster().needs_pass("default"));
  EXPECT_EQ(pass(), (Lines{"high held a1 instead of OLD"}));
}

TEST_F(Preempt, PR17_TheScopeSaysWhoseMakeRoom) {
  given_full(job(1), job(1));
  EXPECT_EQ(ask(job(5, 2), "bob"), (Lines{"high no-capacity"}));
  given_.and_given({preempting_group("oldest", "terminate", "project")});
  EXPECT_EQ(pass(), (Lines{"high held a1 instead of OLD"}));
}

TEST_F(Preempt, PR17_AProjectIsOneOfItsDomain) {
  given_full(job(1), job(1), preempting_group("oldest", "terminate", "project"));
  v1::Event elsewhere = session_requested("high", job(5, 2), "carol");
  elsewhere.mutable_session_requested()->mutable_owner()->set_domain("other");
  given_.and_given({elsewhere});
  EXPECT_EQ(pass(), (Lines{"high no-capacity"}));
  given_.and_given({preempting_group("oldest", "terminate", "resource-group")});
  EXPECT_EQ(pass(), (Lines{"high held a1 instead of OLD"}));
}

TEST_F(Preempt, PR18_RescheduledTheVictimGoesBackToTheQueueAndRunsAgain) {
  given_full(job(1), job(1), preempting_group("oldest", "reschedule"));
  EXPECT_EQ(ask(job(5, 2)), (Lines{"high held a1 instead of OLD"}));
  EXPECT_EQ(given_.status("OLD"), kRescheduling);
  end("OLD", v1::STOPPED);
  given_.and_given({session_requeued("OLD", 0, "preempted")});
  EXPECT_EQ(pass(), (Lines{"high a1", "OLD no-capacity"}));
  end("NEW");
  EXPECT_EQ(pass(), (Lines{"OLD a1"}));
  EXPECT_EQ(given_.session("OLD").attempt, 2u);
  EXPECT_EQ(given_.session("OLD").attempts, 0u);
}

TEST_F(Preempt, G11_NoThirdPartyTakesWhatIsHeld) {
  given_full(job(1), job(1));
  EXPECT_EQ(ask(job(5, 4)), (Lines{"high held a1 instead of OLD,NEW"}));
  given_.and_given({session_requested("third", Spec().cpu(2).priority(99))});
  EXPECT_EQ(pass(), (Lines{"third no-capacity"}));
  end("OLD", v1::STOPPED);
  EXPECT_EQ(pass(), (Lines{}));
  end("NEW", v1::STOPPED);
  EXPECT_EQ(pass(), (Lines{"high a1"}));
}

TEST_F(Preempt, G14_ACancelledHolderGivesItsPlaceToOthers) {
  given_full(job(1), job(1));
  ask(job(5, 4));
  given_.and_given({session_requested("third", Spec().cpu(2)), session_cancelled("high")});
  end("OLD", v1::STOPPED);
  EXPECT_EQ(pass(), (Lines{"third a1"}));
}

TEST_F(Preempt, ANewLeaderRestoresTheHoldAndPlacesIt) {
  given_full(job(1), job(1));
  ask(job(5, 4));
  end("OLD", v1::STOPPED);
  lead();
  EXPECT_TRUE(feed_.cluster().is_reserved(session_id("high")));
  given_.and_given({session_requested("third", Spec().cpu(2).priority(99))});
  EXPECT_EQ(pass(), (Lines{"third no-capacity"}));
  end("NEW", v1::STOPPED);
  EXPECT_EQ(pass(), (Lines{"high a1"}));
}

// A reader that decides nothing (`why`, a standby) sees the same.
TEST_F(Preempt, AMirrorThatFollowsEventsAloneHoldsThePlaceToo) {
  given_full(job(1), job(1));
  given_.and_given({session_requested("high", job(5, 4))});
  given_
      .when({session_preempted("OLD", "high"), session_preempted("NEW", "high"),
             session_reserved("high", "a1")})
      .then_applied();
  EXPECT_TRUE(feed_.cluster().is_reserved(session_id("high")));
  EXPECT_EQ(pass(), (Lines{}));
  given_.and_given({session_unreserved("high")});
  EXPECT_FALSE(feed_.cluster().is_reserved(session_id("high")));
  EXPECT_TRUE(feed_.cluster().is_pending(session_id("high")));
}

TEST_F(Preempt, AHoldOnAnAgentThatDrainsIsGivenUp) {
  given_full(job(1), job(1));
  ask(job(5, 4));
  given_.and_given({agent_drain_changed("a1", true)});
  EXPECT_EQ(pass(), (Lines{"high unheld", "high no-agents"}));
  EXPECT_EQ(given_.status("high"), kPending);
}

TEST_F(Preempt, P8_AHoldOnAnAgentThatCameBackSmallerIsGivenUp) {
  given_full(job(1), job(1));
  ask(job(5, 4));
  given_.and_given({agent_joined("a1", 7, 64 * kGiga, {}, 2)});
  EXPECT_EQ(pass(), (Lines{"high unheld", "high no-capacity"}));
}

TEST_F(Preempt, AHeldPlaceCountsAgainstLimitsAsIfItWerePlaced) {
  given_full(job(1), job(1));
  given_.and_given({Limit("user", "alice").slot("cpu", 12 * kUnit)});
  ask(job(5, 4));
  given_.and_given(
      {agent_enrolled("a2"), agent_joined("a2", 8, 64 * kGiga), session_requested("third", Spec().cpu(1))});
  EXPECT_EQ(pass(), (Lines{"third limit"}));
  end("OLD", v1::STOPPED);
  EXPECT_EQ(pass(), (Lines{"third a2"}));
}

// ---- session groups (section 3.5) and agents that failed a session ----

class Standing : public PassTest {};

TEST_F(Standing, SpreadStandsApartAndPackTogether) {
  const auto member = [](const char* name, const char* group, v1::SessionGroupRule rule) {
    return session_requested(name, Spec().session_group(group, rule));
  };
  given_.and_given({member("s1", "g", v1::SPREAD), member("s2", "g", v1::SPREAD), member("p1", "h", v1::PACK),
                    member("p2", "h", v1::PACK)});
  const Lines lines = pass();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[0].substr(3), lines[1].substr(3));
  EXPECT_EQ(lines[2].substr(3), lines[3].substr(3));
}

TEST_F(Standing, ANewLeaderKnowsTheMembers) {
  given_.and_given({session_requested("s1", Spec().session_group("g", v1::SPREAD, true))});
  EXPECT_EQ(pass(), (Lines{"s1 a1"}));
  lead();
  given_.and_given({session_requested("s2", Spec().session_group("g", v1::SPREAD, true)),
                    session_requested("s3", Spec().session_group("g", v1::SPREAD, true))});
  EXPECT_EQ(pass(), (Lines{"s2 a2", "s3 session-group"}));
}

TEST_F(Standing, AGroupIsItsOwnersAlone) {
  given_.and_given({session_requested("s1", Spec().session_group("g", v1::SPREAD, true)),
                    session_requested("s2", Spec().session_group("g", v1::SPREAD, true)),
                    session_requested("b1", Spec().session_group("g", v1::SPREAD, true), "bob")});
  EXPECT_EQ(pass(), (Lines{"s1 a1", "s2 a2", "b1 a1"}));
}

TEST_F(Standing, AnAgentThatFailedASessionIsAvoidedForAnHour) {
  given_.and_given({session_requested("s1")});
  EXPECT_EQ(pass(), (Lines{"s1 a1"}));
  end("s1", v1::START_FAILED);
  given_.and_given({session_requeued("s1", 1)});
  lead();  // it is in the journal: a new leader avoids it too
  EXPECT_EQ(pass(), (Lines{"s1 a2"}));
  end("s1", v1::START_FAILED);
  given_.after(kHour).and_given({session_requeued("s1", 2)});
  EXPECT_EQ(pass(), (Lines{"s1 a1"}));  // that was longer ago
}

TEST_F(Standing, WhereNoOtherAgentDoesItIsTriedThereAgain) {
  given_.and_given({session_requested("s1", Spec().cpu(16)), session_requested("wall", Spec().cpu(16))});
  EXPECT_EQ(pass(), (Lines{"s1 a1", "wall a2"}));
  end("s1", v1::START_FAILED);
  given_.and_given({session_requeued("s1", 1)});
  EXPECT_EQ(pass(), (Lines{"s1 a1"}));
}

}  // namespace
}  // namespace berth::controller
