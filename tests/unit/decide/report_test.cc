// Facts that agents report (P22): idempotent, forward only within an attempt, never about another attempt's
// slots.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

// A fact with the values that the builders of events have.
v1::KernelFact fact(v1::KernelState state, const std::string& kernel = kernel_name("s1"),
                    std::uint32_t attempt = 1) {
  v1::KernelFact fact;
  fact.set_kernel_id(wire(kernel));
  fact.set_attempt(attempt);
  fact.set_state(state);
  if (state < v1::RUNNING) return fact;
  fact.set_started_ns(kernel_running("").kernel_running().started_ns());
  fact.set_pid(kernel_running("").kernel_running().pid());
  return fact;
}
v1::KernelFact pulling(std::uint32_t percent) {
  v1::KernelFact pulling = fact(v1::PULLING);
  pulling.set_percent(percent);
  return pulling;
}
v1::KernelFact ended(v1::KernelEnd end, std::int32_t exit_code = 0,
                     const std::string& kernel = kernel_name("s1"), std::uint32_t attempt = 1) {
  v1::KernelFact ended = fact(v1::TERMINATED, kernel, attempt);
  ended.set_end(end);
  ended.set_exit_code(exit_code);
  ended.set_ended_ns(kernel_terminated("").kernel_terminated().ended_ns());
  return ended;
}

// What an agent reports: Report("a1").facts({...})
class Report {
 public:
  explicit Report(const std::string& agent, int life = 1) {
    report_.set_agent(agent);
    report_.set_incarnation(incarnation_of(agent, life));
  }
  Report& facts(const std::vector<v1::KernelFact>& facts) {
    for (const auto& one : facts) *report_.add_facts() = one;
    return *this;
  }
  // As the event says, with all kernels that the agent has.
  Report& join(const v1::Event& joined, const std::vector<v1::KernelFact>& kernels = {}) {
    report_.set_incarnation(joined.agent_joined().incarnation());
    report_.set_sent_ms(joined.agent_joined().sent_ms());
    auto* join = report_.mutable_join();
    join->set_nonce(joined.agent_joined().nonce());
    *join->mutable_agent() = joined.agent_joined();
    join->mutable_agent()->clear_incarnation();
    join->mutable_agent()->clear_nonce();
    for (const auto& one : kernels) *join->add_kernels() = one;
    return *this;
  }
  Report& leaving() { return report_.set_leaving(true), *this; }
  Report& snapshot_wanted() { return report_.set_snapshot_wanted(true), *this; }
  operator v1::Report() const { return report_; }  // NOLINT(google-explicit-constructor)

 private:
  v1::Report report_;
};

v1::Event rejoined() { return agent_joined("a1", 8, 16 * kGiga, {gpu("gpu0"), gpu("gpu1")}, 2); }

Events scheduled() { return world() + Events{session_requested("s1"), session_scheduled("s1", "a1")}; }

// ---- the parts ----

TEST(ReportParts, AreWhatTheReportHasInTheOrderOfTheirDecisions) {
  using namespace controller;  // NOLINT(google-build-using-namespace)
  const v1::Report report =
      Report("a1").join(rejoined(), {fact(v1::RUNNING)}).facts({pulling(10)}).snapshot_wanted().leaving();
  const std::vector<ReportPart> parts = parts_of(report);
  ASSERT_EQ(parts.size(), 6u);
  EXPECT_TRUE(std::holds_alternative<SnapshotPart>(parts[0]));
  EXPECT_TRUE(std::holds_alternative<JoinPart>(parts[1]));
  EXPECT_TRUE(std::holds_alternative<VolumesPart>(parts[2]));
  EXPECT_EQ(&std::get<ToldKernelPart>(parts[3]).kernel, &report.join().kernels(0));
  EXPECT_EQ(&std::get<FactPart>(parts[4]).fact, &report.facts(0));
  EXPECT_TRUE(std::holds_alternative<LeavingPart>(parts[5]));
}

TEST(ReportParts, AReportOfOneFactHasOne) {
  const v1::Report report = Report("a1").facts({pulling(10)});
  EXPECT_EQ(controller::parts_of(report).size(), 1u);
  EXPECT_TRUE(controller::parts_of(Report("a1")).empty());
}

// ---- the join ----

TEST(Report, P1_AJoinThatWasReadBeforeIsDroppedAlsoAfterTheNextOne) {
  const v1::Event first = agent_joined("a1", 8, 16 * kGiga, {gpu("gpu0"), gpu("gpu1")});
  given(world() + Events{rejoined()}).when(Report("a1").join(first)).then({});
}

TEST(Report, P1_AJoinThatWasSentMoreThanADayAgoIsDropped) {
  Case c = given(world());
  c.after(kDay + kMinute).when(Report("a1", 2).join(rejoined())).then({});
}

// The scheduler and the net would count it differently: found by the fuzz test of the leader.
TEST(Join, OfASlotOrDeviceThatIsNamedTwiceTheFirstCounts) {
  v1::Event told = rejoined();
  auto* agent = told.mutable_agent_joined();
  *agent->add_slots() = agent->slots(0);
  auto* negative = agent->add_slots();
  negative->set_slot("cuda.shares");
  negative->set_amount(-1);
  *agent->add_devices() = agent->devices(0);
  given(world()).when(Report("a1", 2).join(told)).then({rejoined()});
}

TEST(Report, WhyAnAgentIsUnfitIsOneLineOfBoundedLength) {
  v1::Event told = rejoined(), joined = rejoined();
  told.mutable_agent_joined()->set_unfit("runc:\n\x1b[2Jno " + std::string(600, 'x'));
  joined.mutable_agent_joined()->set_unfit("runc: [2Jno " + std::string(500, 'x') + "...");
  given(world()).when(Report("a1", 2).join(told)).then({joined});
  told.mutable_agent_joined()->set_unfit("\x07\n");
  joined.mutable_agent_joined()->set_unfit("its reason cannot be shown");
  given(world()).when(Report("a1", 2).join(told)).then({joined});
}

TEST(Report, AnEnrolledAgentJoins) {
  const v1::Event joined = agent_joined("a2", 4, kGiga);
  given(world() + Events{agent_enrolled("a2")})
      .when(Report("a2").join(joined))
      .then({joined})
      .then_snapshot(false);
}

TEST(Report, P22_AJoinThatIsReadAgainIsNoNewOne) {
  given(world()).when(Report("a1", 2).join(rejoined())).then({rejoined()});
  given(world() + Events{rejoined()}).when(Report("a1", 2).join(rejoined())).then({});
}

TEST(Report, AJoinWithoutNonceOrIncarnationIsNone) {
  v1::Report without_nonce = Report("a1", 2).join(rejoined());
  without_nonce.mutable_join()->clear_nonce();
  given(world()).when(without_nonce).then({});
  v1::Report nil_nonce = Report("a1", 2).join(rejoined());
  nil_nonce.mutable_join()->set_nonce(std::string(16, '\0'));
  given(world()).when(nil_nonce).then({});
  v1::Report without_incarnation = Report("a1", 2).join(rejoined());
  without_incarnation.clear_incarnation();
  given(world()).when(without_incarnation).then({});
}

TEST(Report, TheKernelsThatAJoinTellsOfAreDecidedAfterIt) {
  given(scheduled())
      .when(Report("a1", 2).join(rejoined(), {fact(v1::RUNNING)}))
      .then({rejoined(), kernel_running(kernel_name("s1"))});
}

TEST(Report, AKernelOfTheJoinThatNobodyKnowsIsForTheSnapshotThatAnswersTheJoin) {
  given(world())
      .when(Report("a1", 2).join(rejoined(), {fact(v1::RUNNING, "lost kernel")}))
      .then({rejoined()})
      .then_snapshot(false);
}

// ---- facts ----

TEST(Report, EachStateOfAKernelIsAnEvent) {
  const std::string k = kernel_name("s1");
  given(scheduled())
      .when(Report("a1").facts({fact(v1::PREPARING), pulling(40), fact(v1::PREPARED), fact(v1::CREATING),
                                fact(v1::RUNNING), ended(v1::EXITED, 3)}))
      .then({kernel_preparing(k), kernel_pulling(k, 40), kernel_prepared(k), kernel_creating(k),
             kernel_running(k), kernel_terminated(k, v1::EXITED, 3)})
      .then_snapshot(false);
}

TEST(Report, ItsEventsAreTheAgents) {
  v1::Event running = kernel_running(kernel_name("s1"));
  running.set_actor("agent:a1");
  given(scheduled()).when(Report("a1").facts({fact(v1::RUNNING)})).then({running});
}

TEST(Report, P22_AFactOnlyMovesAKernelForward) {
  Case c = given(scheduled());
  c.when(Report("a1").facts({pulling(40)})).then({kernel_pulling(kernel_name("s1"), 40)});
  c.when(Report("a1").facts({pulling(40), pulling(30), fact(v1::PREPARING)})).then({});
  c.when(Report("a1").facts({pulling(41)})).then({kernel_pulling(kernel_name("s1"), 41)});
  c.when(Report("a1").facts({fact(v1::RUNNING)})).then({kernel_running(kernel_name("s1"))});
  c.when(Report("a1").facts({fact(v1::RUNNING), fact(v1::CREATING)})).then({}).then_snapshot(false);
}

TEST(Report, StatesThatAreTheControllersOwnAreNoFacts) {
  for (const auto state : {v1::KERNEL_STATE_UNSPECIFIED, v1::SCHEDULED, v1::TERMINATING})
    given(scheduled()).when(Report("a1").facts({fact(state)})).then({});
}

TEST(Report, AFailedStartKeepsItsCodeAndMessage) {
  v1::KernelFact failed = ended(v1::START_FAILED, 1);
  failed.set_code(record_code("unknown-image"));
  failed.set_message("no such file");
  v1::Event event = kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1);
  event.mutable_kernel_terminated()->set_code(record_code("unknown-image"));
  event.mutable_kernel_terminated()->set_message("no such file");
  given(scheduled()).when(Report("a1").facts({failed})).then({event});
}

TEST(Report, AnEndWithoutAResultIsOfUnknownResult) {
  given(scheduled())
      .when(Report("a1").facts({ended(v1::KERNEL_END_UNSPECIFIED)}))
      .then({kernel_terminated(kernel_name("s1"), v1::RESULT_UNKNOWN)});
}

// P24: its agent was lost, and it waits for its next attempt.
Events waits_after_its_agent_was_lost() {
  return world() + Events{session_requested("s1", Spec().batch().requeueable()),
                          session_scheduled("s1", "a1"), agent_lost("a1"),
                          kernel_terminated(kernel_name("s1"), v1::AGENT_LOST),
                          session_requeued("s1", 0, "agent-lost")};
}

TEST(Report, P24_AnAgentThatComesBackBringsTheResultOfALostRun) {
  given(waits_after_its_agent_was_lost())
      .when(Report("a1", 2).join(rejoined(), {ended(v1::EXITED, 3)}))
      .then({rejoined(), kernel_terminated(kernel_name("s1"), v1::EXITED, 3)});
}

TEST(Report, P24_TheResultOfALostRunIsNoneOnceItIsPlacedAgainOrWhereItIsAnEndByForce) {
  given(waits_after_its_agent_was_lost())
      .when(Report("a1", 2).join(rejoined(), {ended(v1::LEASE_OVER)}))
      .then({rejoined()});
  given(waits_after_its_agent_was_lost() + agent("a2") + Events{session_scheduled("s1", "a2", 2)})
      .when(Report("a1", 2).join(rejoined(), {ended(v1::EXITED)}))
      .then({rejoined()});
}

// ---- what asks for a snapshot ----

TEST(Report, P22_AnEndThatIsToldAgainAsksForASnapshot) {
  given(scheduled())
      .when(Report("a1").facts({ended(v1::EXITED)}))
      .then({kernel_terminated(kernel_name("s1"))})
      .then_snapshot(false)
      .when(Report("a1").facts({ended(v1::EXITED)}))
      .then({})
      .then_snapshot(true);
}

TEST(Report, P22_AFactOfAnUnknownKernelAnotherAttemptOrAnotherAgentAsksForASnapshot) {
  const std::string k = kernel_name("s1");
  v1::KernelFact without_id = fact(v1::RUNNING);
  without_id.set_kernel_id("short");
  for (const auto& stray :
       {fact(v1::RUNNING, "lost kernel"), fact(v1::RUNNING, k, 2), ended(v1::EXITED, 0, k, 2), without_id})
    given(scheduled()).when(Report("a1").facts({stray})).then({}).then_snapshot(true);
  given(scheduled() + agent("a2")).when(Report("a2").facts({ended(v1::EXITED)})).then({}).then_snapshot(true);
}

TEST(Report, AnAgentMayAskForASnapshotOfItsOwnIncarnationAlone) {
  given(world()).when(Report("a1").snapshot_wanted()).then({}).then_snapshot(true);
  given(world() + Events{rejoined()}).when(Report("a1").snapshot_wanted()).then({}).then_snapshot(false);
}

// ---- who is believed ----

TEST(Report, OfAnIncarnationThatIsOverOnlyEndsCount) {
  const std::string k = kernel_name("s1");
  for (const v1::Event& over : {rejoined(), agent_lost("a1")}) {
    Case c = given(scheduled() + Events{over});
    c.when(Report("a1").facts({fact(v1::RUNNING)})).then({});
    c.when(Report("a1").facts({ended(v1::EXITED)})).then({kernel_terminated(k)});
  }
}

// ---- the leaving ----

TEST(Report, AnAgentLeavesAfterItsFacts) {
  given(scheduled())
      .when(Report("a1").facts({ended(v1::STOPPED)}).leaving())
      .then({kernel_terminated(kernel_name("s1"), v1::STOPPED), agent_left("a1")});
}

TEST(Report, P22_AnAgentLeavesOnce) {
  given(world()).when(Report("a1").leaving()).then({agent_left("a1")}).when(Report("a1").leaving()).then({});
}

TEST(Report, OnlyTheAliveIncarnationLeaves) {
  given(world() + Events{rejoined()}).when(Report("a1").leaving()).then({});
  given(world() + Events{agent_lost("a1")}).when(Report("a1").leaving()).then({});
}

}  // namespace
}  // namespace berth::testing::decisions
