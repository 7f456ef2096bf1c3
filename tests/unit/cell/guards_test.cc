// Guards that only a broken input shows: MACs (P1), the lease margin (P24), `not_after` (P13), and the stop
// of a session's other kernels (LC7). Each value is written out, so that a changed constant fails.
#include "events/codec/ack_mac.h"
#include "tests/unit/cell/producer_fixture.h"

namespace berth::controller {
namespace {

using projections::AgentState;
using projections::Position;
using projections::SessionStatus;

// ---- P1: a payload whose MAC is wrong ----

class WrongMac : public GuardTest {
 protected:
  static std::string code_of(const Result<Envelope>& opened) {
    return opened ? "" : opened.error().code.word();
  }
};

TEST_F(WrongMac, P1_ARequestUnderAnotherKeyChangesNothing) {
  read(session(1), now.wall, forger("api:test"));
  EXPECT_TRUE(events().empty());
  EXPECT_EQ(state().sessions.size(), 0u);
  EXPECT_EQ(controller->counters().dropped, 1u);
  read(session(1), now.wall, signer("api:test"));
  EXPECT_EQ(state().sessions.size(), 1u);
}

TEST_F(WrongMac, P1_ARequestMadeForAnotherStreamChangesNothing) {
  v1::Request request = session(1);
  request.set_id(std::string(random.uuid().view()));
  request.set_actor(actor_of(request));
  request.set_sent_ms(now.wall / kMillisecond);
  const std::string payload = signer("api:test").sign(Channel::kReport, request.SerializeAsString());
  when(InputRead{{kRequests, requests++, payload}});
  EXPECT_TRUE(events().empty());
  EXPECT_EQ(controller->counters().dropped, 1u);
}

TEST_F(WrongMac, P1_AReportUnderAnotherKeyChangesNothing) {
  ask_for_session();
  read_all_back();
  const KernelId kernel = only_session().kernel_ids.at(0);
  read(end_of(kernel, v1::EXITED), "a1", forger("agent:a1"));
  EXPECT_TRUE(events().empty());
  EXPECT_TRUE(holds_slots(kernel));
  EXPECT_EQ(controller->counters().dropped, 1u);
  read(end_of(kernel, v1::EXITED), "a1", signer("agent:a1"));
  EXPECT_FALSE(holds_slots(kernel));
}

TEST_F(WrongMac, P1_ABeatUnderAnotherKeyGetsNoAckAndProlongsNoLease) {
  for (std::uint64_t counter = 1; counter <= 8; ++counter) {
    beat(counter, forger("agent:a1"));
    EXPECT_TRUE(appends_to(Stream::kHealth).empty());
    live(kSecond);
  }
  EXPECT_EQ(controller->counters().beats, 0u);
  EXPECT_EQ(agent_state(), AgentState::kLost);
}

TEST_F(WrongMac, P1_ABeatUnderTheAgentsKeyGetsAnAckAndProlongsTheLease) {
  for (std::uint64_t counter = 1; counter <= 8; ++counter) {
    beat(counter, signer("agent:a1"));
    EXPECT_EQ(appends_to(Stream::kHealth).size(), 1u);
    live(kSecond);
  }
  EXPECT_EQ(agent_state(), AgentState::kAlive);
}

// ---- P1: what a producer may ask for ----

class Producer : public ProducerFixture {};

TEST_F(Producer, P1_AsksForItsOwnSessionsAndEndsThem) {
  v1::Request request = session(1);
  *request.mutable_owner() = owner();
  EXPECT_TRUE(asked(request).has_session_requested());
  v1::Request end;
  *end.mutable_owner() = owner();
  end.mutable_terminate_session()->set_session_id(std::string(only_session().id.view()));
  EXPECT_TRUE(asked(end).has_session_terminating());
}

TEST_F(Producer, P1_MayNotAskForOthersOrForAnythingElse) {
  v1::Request for_another = session(1), for_nobody = session(1), fence, terminate;
  *for_another.mutable_owner() = owner();
  for_another.mutable_owner()->set_user("admin");
  fence.mutable_fence_agent()->set_agent("a1");
  fence.mutable_fence_agent()->set_force(true);
  *fence.mutable_owner() = owner();
  ask(session(1));
  terminate.mutable_terminate_session()->set_session_id(std::string(only_session().id.view()));
  for (const auto& request : {for_another, for_nobody, fence, terminate})
    EXPECT_EQ(asked(request).request_refused().code(), "out-of-scope");
  EXPECT_EQ(refused(ProducerRefusal::kOutOfScope), 4u);
}

TEST_F(Producer, P1_WhoIsNotRegisteredIsDropped) {
  v1::Request request = asking();
  request.set_actor("producer:u2");
  read_signed(request, signer("producer:u2"));
  expect_dropped(ProducerRefusal::kUnregistered);
}

TEST_F(Producer, P1_AnAgentAsksForNothing) {
  read_signed(asking(), signer("agent:a1"));
  expect_dropped(ProducerRefusal::kUnregistered);
}

TEST_F(Producer, P1_AForgedRequestIsDropped) {
  read_signed(asking(), forger("producer:u1"));
  expect_dropped(ProducerRefusal::kForged);
}

TEST_F(Producer, P1_ARequestAsSomebodyElseIsDropped) {
  v1::Request request = asking();
  request.set_actor("user:u1");
  read_signed(request, signer("producer:u1"));
  expect_dropped(ProducerRefusal::kOtherActor);
}

TEST_F(Producer, P1_WhatNoRequestIsAsLargeAsIsDropped) {
  v1::Request request = asking();
  request.set_reason(std::string(kRecordBytesMax, 'x'));
  read_signed(request, signer("producer:u1"));
  expect_dropped(ProducerRefusal::kOversize);
}

TEST_F(Producer, P1_WhatIsNoRequestIsDropped) {
  read_payload("not an envelope");
  EXPECT_EQ(refused(ProducerRefusal::kMalformed), 1u);
  read_payload(make_envelope(config.cluster, asking().SerializeAsString()));
  EXPECT_EQ(refused(ProducerRefusal::kMalformed), 2u);
  read_payload(signer("producer:u1").sign(Channel::kRequest, "\xff\xff"));
  EXPECT_EQ(refused(ProducerRefusal::kMalformed), 3u);
  EXPECT_EQ(state().sessions.size(), 0u);
}

TEST_F(Producer, P1_AfterARotationTheKeyBeforeIsGoodForNothing) {
  put([](v1::PutProducer& p) { p.set_rotate(true); });
  read_signed(asking(), signer("producer:u1"));
  expect_dropped(ProducerRefusal::kStaleKey);
  const Signer second(config.cluster, "producer:u1", 2, derive_key(config.secret, "producer:u1", 2));
  read_signed(asking(), second);
  EXPECT_EQ(state().sessions.size(), 1u);
}

TEST_F(Producer, P1_OneThatIsSwitchedOffIsDroppedUntilItIsOnAgain) {
  put([](v1::PutProducer& p) { p.set_disabled(true); });
  read_signed(asking(), signer("producer:u1"));
  expect_dropped(ProducerRefusal::kDisabled);
  put([](v1::PutProducer& p) { p.set_disabled(false); });
  read_signed(asking(), signer("producer:u1"));
  EXPECT_EQ(state().sessions.size(), 1u);
}

TEST_F(Producer, P13_AReplayIsAnsweredByTheFirstAnswerAndCounted) {
  const v1::Request request = asking();
  for (int i = 0; i < 3; ++i) read_signed(request, signer("producer:u1"));
  EXPECT_EQ(state().sessions.size(), 1u);
  EXPECT_EQ(refused(ProducerRefusal::kReplayed), 2u);
  v1::Request late = asking();
  late.set_sent_ms((now.wall - kHour) / kMillisecond);
  read_signed(late, signer("producer:u1"));
  EXPECT_EQ(refused(ProducerRefusal::kExpired), 1u);
}

TEST_F(Producer, P30_AMarkOfATransactionIsCounted) {
  when(InputRead{{kRequests, requests++, "", true}});
  EXPECT_EQ(refused(ProducerRefusal::kTransactional), 1u);
  read_signed(asking(), signer("producer:u1"));
  EXPECT_EQ(state().sessions.size(), 1u);
}

// It has hashed and sealed nothing: what it claims of a secret is not believed.
TEST_F(Producer, P29_ItsOwnHashOfASecretIsNotBelieved) {
  v1::Request request = asking();
  request.set_keyed_hash(std::string(16, 'h'));
  read_signed(request, signer("producer:u1"));
  ASSERT_EQ(state().sessions.size(), 1u);
  EXPECT_FALSE(events().at(0).keyed());
}

// An hour ahead of what the leader believes, and it has been seen.
class JumpedClock : public Producer {
 protected:
  void SetUp() override {
    Producer::SetUp();
    now.wall += kHour;
    when(Tick{});
    confirm.mutable_confirm_clock();
    *confirm.mutable_owner() = owner();
  }
  // Of the record that the next request leads to.
  Timestamp next_header_time() {
    ask(session(1));
    v1::Record record;
    BERTH_CHECK(record.ParseFromString(std::string(open_envelope(unread.back().payload)->body)), "a record");
    return record.header().time_ns();
  }
  v1::Request confirm;
};

TEST_F(JumpedClock, P16_IsBelievedOnAnOperatorsWord) {
  ask(confirm);
  EXPECT_EQ(next_header_time(), now.wall);
}

// Seed 256 of the simulator's profile "strange": a session was cancelled by its time limit in a record of an
// hour before.
TEST_F(JumpedClock, P16_WhatFallsDueByAnOperatorsWordIsDecidedAtThatTime) {
  v1::Request waits = session(8);  // no agent has so much
  waits.mutable_request_session()->mutable_spec()->set_pending_timeout_ms(30 * kMinute / kMillisecond);
  read(waits, now.wall - kHour, signer("api:test"));
  read_all_back();
  const Timestamp due = only_session().created_at + 30 * kMinute;
  ask(confirm);
  ASSERT_FALSE(unread.empty());
  std::size_t cancelled = 0;
  for (const auto& append : unread) {
    v1::Record record;
    ASSERT_TRUE(record.ParseFromString(std::string(open_envelope(append.payload)->body)));
    for (const auto& event : record.events())
      if (event.has_session_cancelled()) {
        ++cancelled;
        EXPECT_GE(record.header().time_ns(), due);
      }
  }
  EXPECT_EQ(cancelled, 1u);
}

TEST_F(JumpedClock, P16_IsNotBelievedOnAProducersWord) {
  EXPECT_EQ(asked(confirm).request_refused().code(), "out-of-scope");
  EXPECT_LE(next_header_time(), now.wall - kHour);
}

TEST_F(JumpedClock, P16_IsNotBelievedOnAWordThatIsOutOfTime) {
  confirm.set_not_after_ms(1);
  ask(confirm);
  ASSERT_TRUE(events()[0].has_request_expired());
  EXPECT_LE(next_header_time(), now.wall - kHour);
}

TEST_F(JumpedClock, P16_AHeartbeatCarriesTheTimeOfHeadersAndNotTheClocks) {
  read_all_back();
  pass(100 * kMillisecond);
  const auto sent = appends_to(Stream::kControl);
  ASSERT_EQ(sent.size(), 1u);
  v1::Heartbeat heartbeat;
  ASSERT_TRUE(heartbeat.ParseFromString(std::string(open_envelope(sent[0].payload)->body)));
  EXPECT_LE(heartbeat.time_ns(), now.wall - kHour + kMinute);
  EXPECT_EQ(heartbeat.time_ns(), next_header_time());
}

class WrongMacOfALeader : public WrongMac {
 protected:
  // A heartbeat of the epoch's leader each 100 ms for two seconds. True: the standby wants to stand.
  bool stands_beside(const Signer& leader) {
    read_all_back();
    give_up();
    v1::Heartbeat heartbeat;
    heartbeat.set_epoch(state().epoch().epoch);
    heartbeat.set_nonce(std::string(state().epoch().nonce.view()));
    for (int i = 0; i < 20; ++i) {
      when(ControlRead{leader.sign(Channel::kControl, heartbeat.SerializeAsString())});
      pass(100 * kMillisecond);
      if (out.journal_end_wanted) return true;
    }
    return false;
  }
};

TEST_F(WrongMacOfALeader, P1_AHeartbeatUnderAnotherKeyKeepsNoStandbyBack) {
  EXPECT_TRUE(stands_beside(forger("controller")));
}
TEST_F(WrongMacOfALeader, P1_AHeartbeatUnderTheControllersKeyKeepsAStandbyBack) {
  EXPECT_FALSE(stands_beside(signer("controller")));
}

// An agent opens its orders with its own key alone.
TEST_F(WrongMac, P1_AnOrderUnderAnotherKeyIsNotOpened) {
  const Signer agent = signer("agent:a1");
  const auto code_of_order = [&](const Signer& by, Channel channel) {
    return code_of(open_signed(agent, Channel::kOrder, by.sign(channel, "start")));
  };
  EXPECT_EQ(code_of_order(agent, Channel::kOrder), "");
  EXPECT_EQ(code_of_order(agent, Channel::kReport), "bad-signature");
  EXPECT_EQ(code_of_order(forger("agent:a1"), Channel::kOrder), "bad-signature");
}

TEST_F(WrongMac, P1_EachPartThatAMacCoversMakesItWrong) {
  Verifier verifier(config.cluster, config.secret);
  const Signer right = signer("api:test");
  Envelope envelope;
  envelope.cluster = config.cluster;
  envelope.writer = "api:test";
  envelope.generation = 1;
  envelope.mac = compute_mac(right.key(), Channel::kRequest, config.cluster, "body");
  envelope.body = "body";
  EXPECT_EQ(code_of(verifier.open(Channel::kRequest, make_envelope(envelope))), "");
  EXPECT_EQ(code_of(verifier.open(Channel::kReport, make_envelope(envelope))), "bad-signature");
  std::vector<Envelope> changed(4, envelope);
  changed[0].body = "other";
  changed[1].writer = "api:other";
  changed[2].generation = 2;
  changed[3].mac.back() ^= 1;
  for (const Envelope& wrong : changed)
    EXPECT_EQ(code_of(verifier.open(Channel::kRequest, make_envelope(wrong))), "bad-signature");
}

// ---- P24: a lease of 5 s and a margin of 3 s ----

class LeaseMargin : public GuardTest {};

TEST_F(LeaseMargin, P24_AnAgentIsLostNoSoonerThanItsLeaseAndTheMarginAreOver) {
  live(7900 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kAlive);
  live(100 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kLost);
}

TEST_F(LeaseMargin, P24_LeaseAndMarginRunFromTheLastBeat) {
  live(4 * kSecond);
  beat(1, signer("agent:a1"));
  live(7900 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kAlive);
  live(100 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kLost);
}

// Its beats are on stream `health`: what comes back on `control` says nothing about them.
TEST_F(LeaseMargin, P24_NobodyIsLostWhileTheLeadersReadsOfBeatsStall) {
  for (int i = 0; i < 200; ++i) {
    pass(100 * kMillisecond);
    for (const auto& append : appends_to(Stream::kControl)) when(ControlRead{append.payload});
    read_all_back();
  }
  EXPECT_EQ(agent_state(), AgentState::kAlive);
}

TEST_F(LeaseMargin, P24_AnAgentThatWasLostGetsWorkAgainOnceItHasJoined) {
  live(8 * kSecond);
  ASSERT_EQ(agent_state(), AgentState::kLost);
  v1::Report again = join();
  again.mutable_join()->set_nonce(std::string(Rng(77).uuid().view()));
  tell(again);
  ASSERT_EQ(agent_state(), AgentState::kAlive);
  ask_for_session();
  EXPECT_EQ(only_session().status, SessionStatus::kScheduled);
}

TEST_F(LeaseMargin, P24_TheJoinOfAFencedAgentBeginsALeaseOfItsOwn) {
  v1::Request fence;
  fence.mutable_fence_agent()->set_agent("a1");
  fence.mutable_fence_agent()->set_force(true);
  ask(fence);
  v1::Report again = join();
  again.mutable_join()->set_nonce(std::string(Rng(77).uuid().view()));
  live(7 * kSecond);
  tell(again);
  live(7900 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kAlive);
  live(100 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kLost);
}

TEST_F(LeaseMargin, P24_TheLeaseOfAJoinIsGrantedByAcksAndWaitedOutByEveryLeader) {
  v1::Report again = join();
  again.mutable_join()->set_nonce(std::string(Rng(77).uuid().view()));
  again.mutable_join()->mutable_agent()->set_lease_ms(30'000);
  tell(again);
  read_all_back();
  EXPECT_EQ(state().agents.find("a1")->lease_ms, 30'000);
  beat(1, signer("agent:a1"));
  const auto acks = acks_sent();
  ASSERT_EQ(acks.acks_size(), 1);
  EXPECT_EQ(acks.acks(0).lease_ms(), 30'000);
  EXPECT_TRUE(ack_mac_fits(key_of("agent:a1"), config.cluster, acks, acks.acks(0)));
  live(32'900 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kAlive);
  fail_over();
  for (const auto& check : std::exchange(checks, {})) when(InputChecked{check.partition, true, 0});
  live(32'900 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kAlive);
  live(200 * kMillisecond);
  EXPECT_EQ(agent_state(), AgentState::kLost);
}

// The agent's watchdog ends the kernel when the lease is over: no second one may start before.
TEST_F(LeaseMargin, P24_ARequeueableKernelKeepsItsSlotsThroughTheMargin) {
  v1::Request request = session(1);
  request.mutable_request_session()->mutable_spec()->set_requeueable(true);
  ask(request);
  read_all_back();
  const KernelId kernel = only_session().kernel_ids.at(0);
  live(7900 * kMillisecond);
  EXPECT_TRUE(holds_slots(kernel));
  live(100 * kMillisecond);
  EXPECT_EQ(only_session().status, SessionStatus::kPending);
}

// ---- P16: a journal that was silent for long ----

TEST_F(GuardTest, P16_TheRequestThatShowsTheClockToBeRightIsDecidedAtThatTime) {
  now = {now.wall + 11 * kMinute, now.boottime + 11 * kMinute};
  fail_over();
  for (const auto& check : std::exchange(checks, {})) when(InputChecked{check.partition, true, 0});
  v1::Request request = session(1);
  request.mutable_request_session()->mutable_spec()->set_pending_timeout_ms(3000);
  read(request, now.wall, signer("api:test"));
  EXPECT_EQ(only_session().created_at, now.wall);
  EXPECT_NE(only_session().status, SessionStatus::kCancelled);
}

// ---- P13: `not_after` ----

class NotAfter : public GuardTest {
 protected:
  // Reads a request for a session that was sent `age` ago.
  void read_after(Duration age, Duration not_after) {
    const Timestamp sent = now.wall;
    v1::Request request = session(1);
    request.set_not_after_ms((sent + not_after) / kMillisecond);
    pass(age);
    read(request, sent, signer("api:test"));
  }
  bool accepted() const { return !events().empty() && events()[0].has_session_requested(); }
  // The deadline that the expiry names, counted from when the request was sent; 0 if the request did not
  // expire.
  Duration expired_after(Duration age) const {
    if (events().size() != 1 || !events()[0].has_request_expired()) return 0;
    return events()[0].request_expired().not_after_ms() * kMillisecond - (now.wall - age);
  }
};

TEST_F(NotAfter, P13_ARequestIsTakenUpToItsNotAfter) {
  read_after(kMinute, kMinute);
  EXPECT_TRUE(accepted());
}

TEST_F(NotAfter, P13_ARequestThatIsReadAfterItsNotAfterExpires) {
  const Duration age = kMinute + kMillisecond;
  read_after(age, kMinute);
  EXPECT_EQ(expired_after(age), kMinute);
  EXPECT_EQ(state().sessions.size(), 0u);
}

TEST_F(NotAfter, P13_ANotAfterBeyondTenMinutesIsHonoured) {
  read_after(50 * kMinute, 55 * kMinute);
  EXPECT_TRUE(accepted());
}

TEST_F(NotAfter, P13_ANotAfterBeyondAnHourIsTakenUpToAnHour) {
  read_after(kHour, 2 * kHour);
  EXPECT_TRUE(accepted());
}

TEST_F(NotAfter, P13_ANotAfterBeyondAnHourExpiresAfterAnHour) {
  const Duration age = kHour + kMillisecond;
  read_after(age, 2 * kHour);
  EXPECT_EQ(expired_after(age), kHour);
  EXPECT_EQ(state().sessions.size(), 0u);
}

// ---- LC7: one kernel's end ends the session's other kernels ----

// Three kernels of two cpus: two stand on one agent, one stands on the other.
class Gang : public GuardTest {
 protected:
  void SetUp() override {
    GuardTest::SetUp();
    v1::Request enroll;
    enroll.mutable_enroll_agent()->set_agent("a2");
    ask(enroll);
    v1::Report joins = join();
    joins.mutable_join()->set_nonce(std::string(Rng(6).uuid().view()));
    read(joins, "a2", signer("agent:a2"));
    read_all_back();
    ask(session(2, 3));
    read_all_back();
    gang = only_session().kernel_ids;
    ASSERT_EQ(gang.size(), 3u);
    for (const char* agent : {"a1", "a2"}) {
      const auto on = kernels_on(agent);
      if (on.size() == 2) both = on;
      if (on.size() == 1) alone = on;
    }
    ASSERT_EQ(both.size(), 2u);
    ASSERT_EQ(alone.size(), 1u);
  }

  std::vector<KernelId> kernels_on(const std::string& agent) const {
    std::vector<KernelId> found;
    for (const KernelId& id : gang)
      if (state().kernels.find(id)->agent == agent) found.push_back(id);
    return found;
  }
  std::string agent_of(const KernelId& kernel) const { return state().kernels.find(kernel)->agent; }
  void ends(const KernelId& kernel, v1::KernelEnd how) {
    read(end_of(kernel, how), agent_of(kernel), signer("agent:" + agent_of(kernel)));
  }
  // The one order that the last turn sent to the agent, opened with the agent's key.
  v1::Order order_to(const std::string& agent) const {
    v1::Order order;
    for (const auto& append : appends_to(Stream::kOrders)) {
      const auto envelope = open_signed(signer("agent:" + agent), Channel::kOrder, append.payload);
      if (!envelope) continue;
      EXPECT_EQ(order.agent(), "") << "one order for an agent";
      EXPECT_TRUE(order.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())));
    }
    return order;
  }
  template <class M> static std::vector<KernelId> kernels(const M& parts) {
    std::vector<KernelId> found;
    for (const auto& part : parts) found.emplace_back(*Uuid::from_bytes(part.kernel_id()));
    return found;
  }

  using Kernels = std::vector<KernelId>;
  Kernels gang;   // main1 first
  Kernels both;   // share an agent
  Kernels alone;  // the one on the other agent
};

TEST_F(Gang, LC7_AnEndStopsTheKernelBesideItAndTheOneOnAnotherAgent) {
  ends(both[0], v1::EXITED);
  EXPECT_TRUE(appends_to(Stream::kOrders).empty()) << "not before the end is read back";
  read_back();
  const v1::Order here = order_to(agent_of(both[0]));
  EXPECT_EQ(kernels(here.forget()), Kernels{both[0]});
  EXPECT_EQ(kernels(here.stop()), Kernels{both[1]});
  const v1::Order there = order_to(agent_of(alone[0]));
  EXPECT_EQ(kernels(there.stop()), alone);
  EXPECT_EQ(there.forget_size(), 0) << "the kernel was never there";
}

TEST_F(Gang, LC7_AnEndOnOneAgentStopsBothOnTheOther) {
  ends(alone[0], v1::EXITED);
  read_back();
  EXPECT_EQ(order_to(agent_of(alone[0])).stop_size(), 0);
  EXPECT_EQ(kernels(order_to(agent_of(both[0])).stop()), both);
}

TEST_F(Gang, LC7_AStopNamesTheAttemptAndGivesTenSeconds) {
  ends(alone[0], v1::EXITED);
  read_back();
  const v1::Order order = order_to(agent_of(both[0]));
  ASSERT_EQ(order.stop_size(), 2);
  EXPECT_EQ(order.stop(0).attempt(), 1u);
  EXPECT_EQ(order.stop(0).grace_ms(), 10'000);
}

TEST_F(Gang, LC7_AFailedStartStopsTheOthersBeforeTheSessionIsRequeued) {
  ends(alone[0], v1::START_FAILED);
  EXPECT_EQ(only_session().status, SessionStatus::kRescheduling);
  read_back();
  EXPECT_EQ(kernels(order_to(agent_of(both[0])).stop()), both);
}

TEST_F(Gang, LC7_TheKernelsOfAnotherSessionGoOn) {
  ask(session(2));
  read_all_back();
  ASSERT_EQ(state().kernels_on(agent_of(alone[0])).size(), 2u);
  ends(both[0], v1::EXITED);
  read_back();
  EXPECT_EQ(kernels(order_to(agent_of(alone[0])).stop()), alone);
}

TEST_F(Gang, LC7_ASnapshotSaysThatTheOthersAreToStop) {
  ends(both[0], v1::EXITED);
  read_all_back();
  const std::string agent = agent_of(alone[0]);
  v1::Report gap;
  gap.set_snapshot_wanted(true);
  read(gap, agent, signer("agent:" + agent));
  read_all_back();
  const v1::Order order = order_to(agent);
  ASSERT_EQ(order.snapshot().kernels_size(), 1);
  EXPECT_TRUE(order.snapshot().kernels(0).stopping());
}

TEST_F(Gang, LC7_TheSessionEndsWhenTheOthersHaveEndedToo) {
  ends(both[0], v1::EXITED);
  read_all_back();
  EXPECT_EQ(only_session().status, SessionStatus::kTerminating);
  ends(both[1], v1::STOPPED);
  read_all_back();
  EXPECT_EQ(only_session().status, SessionStatus::kTerminating);
  ends(alone[0], v1::STOPPED);
  EXPECT_EQ(only_session().status, SessionStatus::kTerminated);
}

}  // namespace
}  // namespace berth::controller
