// The audit finds what it is for: each test leaves out one update that the scheduler makes, as a bug would.
#include "controller/placement/audit/model_audit.h"

#include <gtest/gtest.h>

#include <functional>

#include "controller/placement/model/model.h"
#include "controller/placement/order/ranked_lanes.h"
#include "controller/placement/select/search_index.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

// Two agents, two sessions that hold slots there (one of a session group), two that wait for room, one that
// waits for its start time.
class ModelAudit : public ::testing::Test {
 protected:
  ModelAudit() { begin(); }
  void begin() {
    t = TestCluster();
    t.policy.order = Order::kBackfill;
    t.set_policy(t.policy);
    t.agent("a1", {{"cpu", "4"}}, {}, {{"gpu0", {{"cuda.shares", "1"}}, {}}});
    t.agent("a2", {{"cpu", "2"}});
    PendingSpec member = t.session_spec("member", {{"cpu", "4"}, {"cuda.shares", "0.5"}});
    member.session_group = {"together", GroupRule::kSpread, true};
    member.timeout_s = 60;
    t.wait(member);
    t.session("live", {{"cpu", "2"}});
    t.pass();
    member.id = session_id("waits");
    t.wait(member);
    t.session("waits too", {{"cpu", "2"}}, 20);
    PendingSpec later = t.session_spec("later", {{"cpu", "1"}});
    later.wait_cause = {Code::kStartTime, kNoSlot};
    t.wait(later);
    t.pass();
  }

  Model& model() { return t.cluster.model(); }
  Group& group() { return model().groups[0]; }
  Live& live(const std::string& name) { return model().live[model().find_live(session_id(name))]; }
  Pending& pending(const std::string& name) { return *model().find_pending(session_id(name)); }
  std::string broken() const { return broken_invariant(t.cluster.model()); }

  TestCluster t;
};

TEST_F(ModelAudit, FindsNothingWhereAllHolds) { EXPECT_EQ(broken(), ""); }

TEST_F(ModelAudit, FindsSlotsThatWereNotGivenBack) {
  model().agents[0].cells.back().used += kUnit;
  EXPECT_NE(broken().find("agent a1: used cuda.shares"), std::string::npos) << broken();
}

TEST_F(ModelAudit, FindsAContainerThatWasNotGivenBack) {
  ++model().agents[1].containers;
  EXPECT_EQ(broken(), "agent a2: containers is 2, the recount is 1");
}

TEST_F(ModelAudit, FindsAHolderThatWasForgotten) {
  model().agents[1].holders.clear();
  EXPECT_NE(broken().find("agent a2: used cpu of the agent itself is 2000000, the recount is 0"),
            std::string::npos)
      << broken();
}

TEST_F(ModelAudit, FindsAnAgentThatChangedBehindTheIndex) {
  model().agents[0].max_containers = 7;
  EXPECT_EQ(broken(), "agent a1: its row in the search index is not what it has");
  model().agents[0].schedulable = false;
  EXPECT_EQ(broken(), "agent a1: it takes no session, but is in the search index");
}

TEST_F(ModelAudit, FindsAMemberThatWasNotCounted) {
  model().members.clear();
  EXPECT_EQ(broken(), "members of session groups are miscounted");
}

TEST_F(ModelAudit, FindsAHeadThatWasNotErased) {
  Lane& lane = group().lanes.begin()->second;
  lane.heads.insert({{1, 1, session_id("nobody")}, kNothing});
  EXPECT_EQ(broken(), "group default, lane 20: number of heads is 2, the recount is 1");
}

TEST_F(ModelAudit, FindsASessionThatWaitsUnderOldValues) {
  pending("waits too").priority = 10;
  EXPECT_NE(broken().find("stands in a queue that is not its own"), std::string::npos) << broken();
}

TEST_F(ModelAudit, FindsAWaitCauseThatWasLiftedWithoutTheLane) {
  pending("later").wait_cause = {};
  EXPECT_NE(broken().find("is among those with a wait cause and has none"), std::string::npos) << broken();
}

TEST_F(ModelAudit, FindsMiscountedPendingSessions) {
  ++group().pending;
  EXPECT_EQ(broken(), "group default: number of pending sessions is 4, the recount is 3");
  --group().pending;
  ++group().job_priorities[0];
  EXPECT_EQ(broken(), "group default: job priorities of pending sessions are miscounted");
}

TEST_F(ModelAudit, FindsAHeadThatDoesNotWait) {
  group().head = session_id("live");
  EXPECT_EQ(broken(), "group default: its head does not wait in it");
}

TEST_F(ModelAudit, FindsASessionThatIsReservedWithoutAPlace) {
  pending("waits").reserved = true;
  EXPECT_NE(broken(), "");
  pending("waits").reserved = false;
  model().held_places[session_id("waits")] = {model().find_pending_index(session_id("waits")), {}};
  EXPECT_NE(broken(), "");
}

TEST_F(ModelAudit, FindsMiscountedClassesAndRequirements) {
  const ClassIndex waits = pending("waits").session_class;
  ++model().classes[waits].pending;
  EXPECT_EQ(broken(),
            "class " + std::to_string(waits) + ": number of pending sessions is 2, the recount is 1");
  --model().classes[waits].pending;
  ++model().refusals[model().classes[waits].refusal].classes;
  EXPECT_NE(broken().find("number of classes is 2, the recount is 1"), std::string::npos) << broken();
  --model().refusals[model().classes[waits].refusal].classes;
  model().strict_spreads.clear();
  EXPECT_EQ(broken(), "classes: strict spreads are miscounted");
  model().strict_spreads[model().classes[waits].key.session_group].insert(waits);
  ++group().waiting_for_members;
  EXPECT_NE(broken().find("number of classes that wait for members is 1"), std::string::npos) << broken();
  --group().waiting_for_members;
  ++model().requirement_uses[live("live").kernels.view().front().requirement];
  EXPECT_NE(broken().find("number of uses is"), std::string::npos) << broken();
}

TEST_F(ModelAudit, FindsMiscountedAmountsOfAUser) {
  group().occupied_by_user[0][0] -= kUnit;
  EXPECT_EQ(broken(), "group default: cpu occupied by user  is 5000000, the recount is 6000000");
}

TEST_F(ModelAudit, FindsADeclaredEndThatWasNotMoved) {
  live("member").ends = kNeverEnds;
  EXPECT_EQ(broken(), "group default: declared ends are miscounted");
}

TEST_F(ModelAudit, FindsALiveSessionThatHoldsNothing) {
  live("live").kernels = {};
  model().agents[1].cells.front().used = 0;
  EXPECT_NE(broken(), "");
}

TEST_F(ModelAudit, FindsARankThatDidNotFollow) {
  t.policy.order = Order::kDrf;
  t.set_policy(t.policy);
  t.pass();
  ASSERT_EQ(broken(), "");
  group().occupied_by_user[0][0] += kUnit;
  group().occupied_elsewhere[0].resize(model().slots.size(), 0);
  group().occupied_elsewhere[0][0] += kUnit;
  EXPECT_EQ(broken(), "group default, ranked lanes: an owner has an old rank");
}

TEST_F(ModelAudit, FindsNothingWhereASlotTypeIsNew) {
  t.policy.order = Order::kDrf;
  t.set_policy(t.policy);
  t.pass();
  t.slot("rocm.device");
  EXPECT_EQ(broken(), "");
  t.cluster.define_group("other", t.policy);
  t.session("newcomer", {{"rocm.device", "1"}});
  EXPECT_EQ(broken(), "");
}

TEST_F(ModelAudit, FindsNothingWhereAgentsLeaveWithWhatIsOccupiedThere) {
  t.cluster.remove_agent("a1");
  EXPECT_EQ(broken(), "");
  t.cluster.define_group("other", t.policy);
  AgentSpec moved = t.agent_spec("a1", {{"cpu", "1"}});
  moved.group = "other";
  moved.containers = 0xFFFFFFFFu;
  t.cluster.upsert_agent(moved);
  EXPECT_EQ(broken(), "");
  t.end("member");
  EXPECT_EQ(broken(), "");
}

// Audits by portions, until all have been audited once more.
std::string audit_once(ModelAuditor& auditor, const Cluster& cluster) {
  const std::uint64_t before = auditor.cycles();
  while (auditor.cycles() == before)
    if (std::string text = auditor.after_pass(cluster); !text.empty()) return text;
  return {};
}

TEST_F(ModelAudit, ComesToEachPortionAPassAtATime) {
  const std::vector<std::function<void()>> bugs = {
      [&] { model().agents[1].label = 0; },
      [&] { ++model().agents[1].containers; },
      [&] { ++group().pending; },
      [&] { ++pending("waits").retries, pending("waits").demoted = true; },
      [&] { ++model().classes[pending("waits").session_class].kernels; },
      [&] { ++model().requirement_uses[0]; },
      [&] { live("live").id = session_id("other"); },
      [&] { model().members.clear(); },
  };
  for (const auto& bug : bugs) {
    ModelAuditor auditor;
    EXPECT_EQ(audit_once(auditor, t.cluster), "");
    bug();
    EXPECT_NE(audit_once(auditor, t.cluster), "") << "of bug " << &bug - bugs.data();
    begin();
  }
}

TEST_F(ModelAudit, EarnsItsRowsSoThatMostPassesCostNothing) {
  for (int i = 0; i < 500; ++i) t.agent("b" + std::to_string(i), {{"cpu", "1"}});
  ModelAuditor auditor;
  EXPECT_EQ(audit_once(auditor, t.cluster), "");
  model().agents[1].containers = 9;
  int passes = 0;
  while (auditor.after_pass(t.cluster).empty()) ++passes;
  EXPECT_GT(passes, 100);
  EXPECT_LT(passes, 4'000);
}

}  // namespace
}  // namespace berth::placement::testing
