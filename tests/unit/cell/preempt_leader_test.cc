// A leader that preempts: the plan as one record, the orders that follow it, and what its successor makes of
// it.
#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {
namespace {

using projections::SessionRow;
using projections::SessionStatus;

class PreemptingLeader : public LeaderTest {
 protected:
  void given_full(const std::string& mode) {
    given_leader();
    given_agent();
    v1::Request define;
    auto* group = define.mutable_define()->add_groups();
    group->set_name("default");
    group->set_order("fifo");
    group->set_head_of_line("strict");
    group->set_select("concentrated");
    auto* preemption = group->mutable_preemption();
    preemption->set_enabled(true);
    preemption->set_order("oldest");
    preemption->set_mode(mode);
    preemption->set_scope(v1::SCOPE_KIND_USER);
    ask(define);
    ask(session("low", 4, 0));
    read_all_back();
    ASSERT_EQ(status("low"), SessionStatus::kScheduled);
  }

  static v1::Request session(const std::string& name, Amount cpu, std::int32_t job_priority) {
    return LeaderTest::session(testing::Spec().cpu(cpu).job_priority(job_priority), name);
  }

  const SessionRow& row(const std::string& name) const {
    const SessionRow* found = nullptr;
    controller->projection().state().sessions.for_each_unordered([&](const SessionRow& s) {
      if (s.name == name) found = &s;
    });
    BERTH_CHECK(found != nullptr, "the session is there");
    return *found;
  }
  SessionStatus status(const std::string& name) const { return row(name).status; }

  // The agent says that the session's kernel has ended.
  void ends(const std::string& name, v1::KernelEnd how) {
    v1::Report report;
    auto* fact = report.add_facts();
    fact->set_kernel_id(std::string(row(name).kernel_ids.front().view()));
    fact->set_attempt(row(name).attempt);
    fact->set_state(v1::TERMINATED);
    fact->set_end(how);
    tell(report);
  }

  // Loses its leadership with what was read back, and is elected again.
  void fail_over() {
    read_all_back();
    auto durable = std::make_unique<projections::Projection>(controller->projection());
    when(InputsLost{});
    when(Reloaded{std::move(durable)});
    stand();
    for (const auto& check : std::exchange(checks, {})) when(InputChecked{check.partition, true, 0});
    ASSERT_TRUE(controller->deciding());
    read_all_back();
  }

  std::vector<v1::Record> records() const {
    std::vector<v1::Record> found;
    for (const auto& append : unread) {
      const auto envelope = open_envelope(append.payload, config.cluster);
      found.emplace_back();
      EXPECT_TRUE(envelope && found.back().ParseFromArray(envelope->body.data(),
                                                          static_cast<int>(envelope->body.size())));
    }
    return found;
  }
};

TEST_F(PreemptingLeader, P4_ThePlanIsOneRecordAndItsStopLeavesWhenItWasReadBack) {
  given_full("terminate");
  ask(session("high", 2, 5));
  const auto appended = records();
  ASSERT_EQ(appended.size(), 2u);
  ASSERT_EQ(appended[1].events_size(), 2);
  EXPECT_EQ(appended[1].events(0).session_terminating().reason(), "preempted");
  EXPECT_EQ(appended[1].events(0).session_terminating().preemptor(), row("high").id.view());
  EXPECT_EQ(appended[1].events(1).session_reserved().placements(0).agent(), "a1");
  EXPECT_TRUE(orders().empty());
  read_back();
  EXPECT_TRUE(orders().empty());
  read_back();
  ASSERT_EQ(orders().size(), 1u);
  EXPECT_EQ(orders()[0].stop(0).kernel_id(), row("low").kernel_ids.front().view());
}

TEST_F(PreemptingLeader, PR18_ARescheduledVictimIsStoppedAndGoesBackInTheRecordOfItsEnd) {
  given_full("reschedule");
  ask(session("high", 2, 5));
  read_all_back();
  ASSERT_EQ(orders().size(), 1u);
  EXPECT_EQ(orders()[0].stop_size(), 1);
  EXPECT_EQ(status("low"), SessionStatus::kRescheduling);
  ends("low", v1::START_FAILED);  // cut short: no failed start of its own
  const auto appended = records();
  ASSERT_FALSE(appended.empty());
  ASSERT_GE(appended[0].events_size(), 2);
  EXPECT_TRUE(appended[0].events(0).has_kernel_terminated());
  EXPECT_EQ(appended[0].events(1).session_requeued().reason(), "preempted");
  EXPECT_EQ(appended[0].events(1).session_requeued().attempts(), 0u);
  EXPECT_EQ(status("low"), SessionStatus::kPending);
  EXPECT_EQ(status("high"), SessionStatus::kScheduled);
}

TEST_F(PreemptingLeader, ASuccessorFinishesThePlan) {
  given_full("terminate");
  ask(session("high", 2, 5));
  fail_over();
  EXPECT_EQ(status("high"), SessionStatus::kReserved);
  EXPECT_TRUE(controller->scheduler().is_reserved(row("high").id));
  ask(session("third", 4, 0));
  EXPECT_EQ(status("third"), SessionStatus::kPending);
  ends("low", v1::STOPPED);
  EXPECT_EQ(status("high"), SessionStatus::kScheduled);
  EXPECT_EQ(status("third"), SessionStatus::kPending);
}

TEST_F(PreemptingLeader, ASnapshotOfASuccessorStopsAVictimThatIsToGoBack) {
  given_full("reschedule");
  ask(session("high", 2, 5));
  fail_over();
  bool stopping = false;
  v1::Report report;
  report.set_snapshot_wanted(true);
  tell(report);
  while (!unread.empty()) {
    read_back();
    for (const auto& order : orders())
      for (const auto& kernel : order.snapshot().kernels()) stopping = stopping || kernel.stopping();
  }
  EXPECT_TRUE(stopping);
}

TEST_F(PreemptingLeader, G14_AHolderMayBeCancelled) {
  given_full("terminate");
  ask(session("high", 2, 5));
  v1::Request end;
  end.mutable_terminate_session()->set_session_id(std::string(row("high").id.view()));
  ask(end);
  EXPECT_EQ(status("high"), SessionStatus::kCancelled);
  EXPECT_FALSE(controller->scheduler().is_reserved(row("high").id));
  ask(session("third", 4, 0));
  ends("low", v1::STOPPED);
  EXPECT_EQ(status("third"), SessionStatus::kScheduled);
}

TEST_F(PreemptingLeader, TheHolderTimesOutAsAnyThatWaits) {
  given_full("terminate");
  v1::Request request = session("high", 2, 5);
  request.mutable_request_session()->mutable_spec()->set_pending_timeout_ms(5'000);
  ask(request);
  ASSERT_EQ(status("high"), SessionStatus::kReserved);
  read_all_back();
  for (int i = 0; i < 60; ++i) {
    pass(100 * kMillisecond);
    read_all_back();
  }
  EXPECT_EQ(status("high"), SessionStatus::kCancelled);
  EXPECT_EQ(row("high").reason_code, "pending-timeout");
}

}  // namespace
}  // namespace berth::controller
