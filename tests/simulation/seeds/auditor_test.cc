// The auditor's own small model of sessions: a checker that cannot fail, or fails on what is right, checks
// nothing.
#include <gtest/gtest.h>

#include "tests/simulation/checkers.h"
#include "tests/support/journal.h"

namespace berth::simulation {
namespace {

using namespace testing;

struct Audited {
  explicit Audited(const Events& events, Expected expected = {}) {
    TestJournal journal;
    journal.elect();
    for (v1::Event event : events) {
      if (event.has_session_scheduled() && !event.session_scheduled().has_pass())
        projections::to_proto({1, 1, 0}, event.mutable_session_scheduled()->mutable_pass());
      journal.append({event});
    }
    cluster.cluster = test_cluster();
    cluster.server = MemoryLogServer::create({}, MemoryLogMode::kAutomatic);
    const auto log = cluster.server->connect();
    for (const auto& payload : journal.payloads()) log->append({Stream::kJournal, 0}, {}, payload, {});
    auditor.audit(std::move(expected));
  }
  SimCluster cluster;
  JournalAuditor auditor{cluster};
};

Events running() {
  return agent("a1") +
         Events{session_requested("s1"), session_scheduled("s1", "a1"), kernel_running(kernel_name("s1"))};
}

TEST(Auditor, CountsASessionAsLiveUntilItsLastKernelEnded) {
  EXPECT_EQ(Audited(running()).auditor.live(), 1u);
  EXPECT_EQ(Audited(running() + Events{kernel_terminated(kernel_name("s1"))}).auditor.live(), 0u);
}

TEST(Auditor, AStartThatFailedIsTriedAgain) {
  const Audited audited(agent("a1") + Events{session_requested("s1"), session_scheduled("s1", "a1"),
                                             kernel_terminated(kernel_name("s1"), v1::START_FAILED),
                                             session_requeued("s1")});
  EXPECT_EQ(audited.auditor.live(), 1u);
  EXPECT_TRUE(audited.auditor.failures().empty());
}

// Seeds 299 and 2323: an agent could not give what a stale placement gave it, while its user asked for the
// end.
TEST(Auditor, AStartThatFailedInASessionThatWasToEndIsItsEnd) {
  const Audited audited(agent("a1") + Events{session_requested("s1"), session_scheduled("s1", "a1"),
                                             session_terminating("s1"),
                                             kernel_terminated(kernel_name("s1"), v1::START_FAILED)});
  EXPECT_EQ(audited.auditor.live(), 0u);
  EXPECT_TRUE(audited.auditor.failures().empty());
}

TEST(Auditor, FindsWhatIsAllocatedTwice) {
  Events events = agent("a1");
  for (const char* name : {"s1", "s2", "s3"})
    events = events + Events{session_requested(name, Spec().cpu(4)), session_scheduled(name, "a1")};
  EXPECT_EQ(Audited(events).auditor.failures(),
            std::vector<std::string>{"journal: cpu of a1 is allocated twice"});
}

std::vector<std::string> failures_of(const Events& events, Expected expected = {}) {
  return Audited(events, std::move(expected)).auditor.failures();
}

TEST(Auditor, P29_FindsAPlacementOnAnAgentThatIsHeldUnreachable) {
  EXPECT_EQ(failures_of(agent("a1") + Events{session_requested("s1"), unreachable_changed({"a1"}),
                                             session_scheduled("s1", "a1")}),
            std::vector<std::string>{"journal: a place on agent a1, which is held unreachable"});
  EXPECT_TRUE(
      failures_of(agent("a1") + Events{session_requested("s1"), unreachable_changed({"a1"}),
                                       unreachable_changed({}, {"a1"}), session_scheduled("s1", "a1")})
          .empty());
}

TEST(Auditor, P29_FindsAPassThatBeganInAnotherEpoch) {
  v1::Event scheduled = session_scheduled("s1", "a1");
  projections::to_proto({7, 1, 0}, scheduled.mutable_session_scheduled()->mutable_pass());
  EXPECT_EQ(failures_of(agent("a1") + Events{session_requested("s1"), scheduled}),
            std::vector<std::string>{"journal: a place of a pass that began nowhere in its epoch"});
}

TEST(Auditor, FindsARequeueableSessionThatEndedWithItsLease) {
  const Events events =
      agent("a1") + Events{session_requested("s1", Spec().requeueable()), session_scheduled("s1", "a1"),
                           kernel_terminated(kernel_name("s1"), v1::LEASE_OVER)};
  EXPECT_EQ(failures_of(events),
            std::vector<std::string>{
                "journal: a requeueable session ended because its agent or its lease was gone"});
}

TEST(Auditor, FindsAJoinThatIsBelievedTwice) {
  EXPECT_EQ(failures_of(agent("a1") + agent("a1")).size(), 1u);
  EXPECT_TRUE(failures_of(agent("a1")).empty());
}

TEST(Auditor, FindsATimeoutOfASessionThatHasNone) {
  EXPECT_EQ(failures_of(Events{session_requested("s1"), session_cancelled("s1", "pending-timeout")}),
            std::vector<std::string>{"journal: a session without a timeout ended by pending-timeout"});
}

TEST(Auditor, FindsWhatTheForgerWrote) {
  EXPECT_EQ(failures_of(Events{session_requested("forged-1")}),
            std::vector<std::string>{"journal: a forged request was believed"});
}

}  // namespace
}  // namespace berth::simulation
