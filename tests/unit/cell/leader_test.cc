// When answers and orders may leave (P11), and what becomes of inputs that their streams have lost (P13).
#include "events/codec/envelope.h"
#include "events/codec/parse_body.h"
#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {
namespace {

class Leader : public LeaderTest {
 protected:
  void SetUp() override {
    given_leader();
    given_agent();
  }
};

TEST_F(Leader, S3_AnOrderBoundsWhatItsKernelWritesAsItsGroupSays) {
  v1::Request define;
  auto* group = define.mutable_define()->add_groups();
  *group = controller->projection().state().groups.find("default")->def;
  group->set_disk(10ll << 30);
  ask(define);
  ask_for_session();
  read_all_back();
  ASSERT_EQ(orders().size(), 1u);
  EXPECT_EQ(orders()[0].start(0).disk(), 10ll << 30);
}

TEST_F(Leader, AnOrderBoundsWhatItsKernelWritesByWhatItHoldsOfTheSlot) {
  v1::Request define;
  auto* group = define.mutable_define()->add_groups();
  *group = controller->projection().state().groups.find("default")->def;
  group->set_disk(10ll << 30);
  auto* type = define.mutable_define()->add_slot_types();
  type->set_name("disk");
  type->set_kind(static_cast<std::uint32_t>(SlotKind::kBytes));
  ask(define);
  v1::Report report = join();
  report.mutable_join()->set_nonce(std::string(Rng(40).uuid().view()));
  auto* disk = report.mutable_join()->mutable_agent()->add_slots();
  disk->set_slot("disk");
  disk->set_amount(100ll << 30);
  tell(report);
  ask_for_session();
  read_all_back();
  v1::StartKernel start;
  for (const auto& order : orders())
    if (order.start_size() > 0) start = order.start(0);
  EXPECT_EQ(start.disk(), 10ll << 30);
  Amount held = 0;
  for (const auto& slot : start.slots())
    if (slot.slot() == "disk") held = slot.amount();
  EXPECT_EQ(held, 10ll << 30) << "filled in, since every agent reports it";
}

TEST_F(Leader, AnOrderSaysWhatItsKernelReachesAsItsGroupDoes) {
  v1::Request define;
  auto* group = define.mutable_define()->add_groups();
  *group = controller->projection().state().groups.find("default")->def;
  group->set_egress("registries");
  ask(define);
  ask_for_session();
  read_all_back();
  ASSERT_EQ(orders().size(), 1u);
  EXPECT_EQ(orders()[0].start(0).egress(), v1::EGRESS_REGISTRIES);
}

// ---- P11 ----

TEST_F(Leader, P11_NoOrderLeavesBeforeItsRecordWasReadBack) {
  ask_for_session();
  ASSERT_FALSE(events().empty());
  EXPECT_TRUE(orders().empty());
  pass(50 * kMillisecond);
  EXPECT_TRUE(orders().empty());
  read_back();
  ASSERT_EQ(orders().size(), 1u);
  EXPECT_EQ(orders()[0].start_size(), 1);
}

TEST_F(Leader, P11_AnAppendThatTheLogAcknowledgedIsNotYetReadBack) {
  ask_for_session();
  when(Appended{unread.front().ticket, {AppendState::kDurable, next, {}}});
  EXPECT_TRUE(orders().empty());
  read_back();
  EXPECT_EQ(orders().size(), 1u);
}

TEST_F(Leader, P11_OrdersOfARecordThatWasLostNeverLeave) {
  ask_for_session();
  fails(unread.front());
  EXPECT_EQ(controller->mode(), Controller::Mode::kStandby);
  EXPECT_TRUE(out.reload_wanted);
  read_back();  // it landed nevertheless: whoever leads next sends a snapshot (ADR 0030)
  EXPECT_TRUE(orders().empty());
}

TEST_F(Leader, P11_OrdersOfARecordBehindALostOneNeverLeave) {
  ask_for_session();
  ask_for_session();
  ASSERT_EQ(unread.size(), 2u);
  unread.pop_front();  // lost
  read_back();
  EXPECT_TRUE(orders().empty());
  EXPECT_EQ(controller->mode(), Controller::Mode::kStandby);
}

// The bytes came back, and no reader applies them: the program must not run.
TEST_F(Leader, P11_OrdersOfARecordThatIsVoidNeverLeaveAndTheLeadershipEnds) {
  ask_for_session();
  when(JournalRead{next, unread.front().payload, false});
  EXPECT_TRUE(orders().empty());
  EXPECT_EQ(controller->mode(), Controller::Mode::kStandby);
  EXPECT_TRUE(out.reload_wanted);
}

TEST_F(Leader, P11_ARecordOfAnotherWriterEndsTheLeadershipOnlyWhereItIsApplied) {
  v1::Record foreign;
  foreign.mutable_header()->set_epoch(9);
  foreign.add_events()->mutable_controller_elected();
  const std::string payload = make_envelope(config.cluster, foreign.SerializeAsString());
  when(JournalRead{next, payload, false});
  EXPECT_EQ(controller->mode(), Controller::Mode::kLeader);
  when(JournalRead{next + 1, payload, true});
  EXPECT_EQ(controller->mode(), Controller::Mode::kStandby);
}

TEST_F(Leader, P11_AnswersAreInTheJournalAloneTheLeaderSendsNone) {
  ask_for_session();
  EXPECT_EQ(appends_to(Stream::kJournal).size(), 1u);
  EXPECT_EQ(out.appends.size(), 1u);
}

// ---- P13 ----

TEST_F(Leader, P13_ItGlancesAtTheLastInputsItTook) {
  pass(29 * kSecond);
  EXPECT_TRUE(out.glances.empty());
  pass(kSecond);
  ASSERT_EQ(out.glances.size(), 2u);
  EXPECT_EQ(out.glances[0].partition, kRequests);
  EXPECT_EQ(out.glances[0].next, 2u);
  EXPECT_NE(out.glances[0].last_crc, 0u);
  when(InputChecked{kRequests, true, 0});
  EXPECT_TRUE(controller->deciding());
}

TEST_F(Leader, P12_ItGlancesAtWhatItReadLastOfTheJournal) {
  pass(29 * kSecond);
  EXPECT_FALSE(out.glance_at_journal);
  pass(kSecond);
  EXPECT_TRUE(out.glance_at_journal);
}

// What left the chain's window can be compared no more.
TEST_F(Leader, P12_ItGlancesAtTheJournalBeforeWhatItReadLeavesTheWindow) {
  const auto read = [this](std::size_t offsets) {
    while (offsets-- > 0) read_gap();
    when(Tick{});
  };
  read(projections::kChainWindow / 4 - 1024);
  EXPECT_FALSE(out.glance_at_journal);
  read(1024);
  EXPECT_TRUE(out.glance_at_journal);
  EXPECT_TRUE(out.glances.empty());
  read(1024);
  EXPECT_FALSE(out.glance_at_journal);
}

TEST_F(Leader, P13_AnInputThatIsNotWhatWasReadMakesItStandAnew) {
  when(InputChecked{kRequests, false, 0});
  EXPECT_EQ(controller->mode(), Controller::Mode::kStandby);
}

TEST_F(Leader, P13_InputsThatWereLostBehindTheReaderMakeItStandAnew) {
  when(InputsLost{});
  EXPECT_EQ(controller->mode(), Controller::Mode::kStandby);
}

class SignedHeads : public Leader {
 protected:
  void SetUp() override {
    SealingRing ring;
    ring.add({1, std::string(kSealKeyBytes, 'k')});
    config.heads.emplace(config.cluster, ring);
    config.head_seed = std::string(kHeadSeedBytes, 'h');
    given_controller();
    read_gap();
    Leader::SetUp();
    read_all_back();
  }
  // That a leader writes at the next chain point.
  v1::ChainHeadRecorded head() {
    projections::ChainPoint point = log_fold.chain().last();
    point.state_hash = Hash128{};
    when(ChainPointRead{point});
    BERTH_CHECK(!events().empty() && events().back().has_chain_head_recorded(), "it is recorded at once");
    return events().back().chain_head_recorded();
  }
};

// A standby's gap, records of others and a record of its own that comes twice, each as it was read back.
TEST_F(SignedHeads, P34_ListWhatWasVoidForTheirLeader) {
  const auto first = head();
  EXPECT_EQ(first.voids(), std::string("\0\1", 2));
  const Append again = unread.front();
  read_all_back();
  for (const std::string& payload : {std::string("noise"), again.payload}) {
    ASSERT_FALSE(log_fold.apply(next, payload).applied());
    when(JournalRead{next++, payload, false});
  }
  ask_for_session();
  read_all_back();
  const auto second = head();
  EXPECT_EQ(second.from(), first.claim().offset());
  EXPECT_EQ(second.voids(), "\1\2") << "of those from the head before on";
  EXPECT_EQ(second.applied(), log_fold.chain().last().applied);
  read_all_back();
  EXPECT_EQ(controller->mode(), Controller::Mode::kLeader) << "every reader comes to the same list";
}

// Else who has not the secret takes them as effective for as long as nothing else happens.
TEST_F(SignedHeads, P34_AreSignedAlsoWhereNothingHappenedButVoidRecords) {
  head();
  read_all_back();
  const auto told = [this] {
    projections::ChainPoint point = log_fold.chain().last();
    point.state_hash = Hash128{};
    when(ChainPointRead{point});
    return !events().empty() && events().back().has_chain_head_recorded();
  };
  EXPECT_FALSE(told()) << "the head's own record is no news";
  ASSERT_FALSE(log_fold.apply(next, "noise").applied());
  when(JournalRead{next++, "noise", false});
  ASSERT_TRUE(told());
  EXPECT_EQ(events().back().chain_head_recorded().voids(), "\1\1");
  read_all_back();
  EXPECT_FALSE(told()) << "once";
}

// An input whose decision the net forbids, read by one leader after the other.
class PoisonedInput : public Leader {
 protected:
  static constexpr const char* kPoison = "poison";
  void SetUp() override {
    config.poison = [](const v1::Request& request) { return request.request_session().name() == kPoison; };
    given_controller();
    Leader::SetUp();
    read_all_back();
  }
  // The leader falls; another one that has read the journal stands, and finds the reports as they were.
  void stand_anew() {
    for (const Append& append : std::exchange(unread, {})) log_fold.apply(next++, append.payload);
    if (controller->mode() == Controller::Mode::kLeader) when(InputsLost{});
    when(Reloaded{std::make_unique<projections::Projection>(log_fold)});
    stand();
    when(InputChecked{kReports, true, 0});
  }
  void ask_again() {
    stand_anew();
    when(InputChecked{kRequests, true, 0});
    --requests;
    ask(session(testing::Spec(), kPoison));
  }
};

TEST_F(PoisonedInput, P35_AnotherInputAtItsOffsetIsDecidedAfterACut) {
  const Offset at = requests;
  ask(session(testing::Spec(), kPoison));
  ask_again();
  ask_again();
  ASSERT_EQ(events().size(), 1u);
  ASSERT_TRUE(events()[0].has_internal_error_recorded()) << "P7: it was forbidden twice";
  stand_anew();
  when(InputChecked{kRequests, false, at});
  ASSERT_TRUE(events()[0].has_input_rewound());
  requests = at;
  ask_for_session();
  ASSERT_FALSE(events().empty());
  EXPECT_TRUE(events()[0].has_session_requested());
}

class Reelected : public Leader {
 protected:
  void SetUp() override {
    Leader::SetUp();
    read_all_back();
    auto durable = std::make_unique<projections::Projection>(controller->projection());
    when(InputsLost{});
    when(Reloaded{std::move(durable)});
    stand();
  }
};

TEST_F(Reelected, P13_ATruncatedInputIsReadAgainFromTheStreamsBeginning) {
  when(InputChecked{kReports, true, 0});
  when(InputChecked{kRequests, false, 1});
  ASSERT_EQ(out.seek_inputs.size(), 1u);
  EXPECT_EQ(out.seek_inputs[0].offset, 1u);
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].input_rewound().stream(), v1::REQUESTS);
  EXPECT_EQ(events()[0].input_rewound().to(), 1u);
  requests = 1;
  ask_for_session();  // where the enrolment was
  EXPECT_TRUE(events()[0].has_session_requested());
}

TEST_F(Reelected, P13_WhatWasTakenAndIsReadAgainChangesNothing) {
  when(InputChecked{kRequests, true, 0});
  when(InputChecked{kReports, false, 0});
  read_all_back();
  reports = 0;
  tell(join());
  for (const auto& event : events()) EXPECT_FALSE(event.has_agent_joined());
}

TEST_F(Reelected, P13_AnInputThatRetentionTookIsSkippedByAnEvent) {
  when(InputChecked{kReports, true, 0});
  when(InputChecked{kRequests, true, 7});
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].input_rewound().to(), 7u);
}

TEST_F(Reelected, P13_LostReportsMakeTheirAgentsTellAgain) {
  read_all_back();
  when(InputChecked{kRequests, true, 0});
  when(InputChecked{kReports, false, 0});
  EXPECT_TRUE(orders().empty()) << "not before its record is read back";
  read_back();
  ASSERT_EQ(orders().size(), 1u);
  EXPECT_TRUE(orders()[0].has_snapshot());
}

// ---- P30 ----

TEST_F(Leader, P30_AnInputRangeSpansTheGapsBeforeItsInputs) {
  const Offset taken = requests;
  when(InputRead{{kRequests, requests++, {}, true}});
  EXPECT_TRUE(unread.empty()) << "a gap is no input";
  ask_for_session();
  ASSERT_TRUE(events()[0].has_session_requested());
  v1::Record record;
  ASSERT_TRUE(record.ParseFromString(std::string(open_envelope(unread.back().payload)->body)));
  ASSERT_EQ(record.header().ranges_size(), 1);
  const auto& range = record.header().ranges(0);
  EXPECT_EQ(std::pair(range.from(), range.to()), std::pair(taken, taken + 2));
  read_all_back();
  EXPECT_EQ(controller->projection().state().next_input("requests/0"), taken + 2);
  EXPECT_TRUE(controller->deciding());
}

TEST_F(Leader, P30_OneRangeSpansAGapBetweenItsInputs) {
  const Offset taken = requests;
  v1::Request request;
  request.mutable_confirm_clock();
  const auto input = [&] {
    request.set_id(std::string(random.uuid().view()));
    request.set_actor(actor_of(request));
    request.set_sent_ms(now.wall / kMillisecond);
    const Signer signer(config.cluster, "api:test", 1, derive_key(config.secret, "api:test", 1));
    return InputRead{{kRequests, requests++, signer.sign(Channel::kRequest, request.SerializeAsString())}};
  };
  out = {};
  controller->step(input(), now, out);
  controller->step(InputRead{{kRequests, requests++, {}, true}}, now, out);
  const InputRead last = input();
  const std::uint32_t crc = crc32c(last.entry.payload);
  when(last);
  ASSERT_EQ(unread.size(), 1u);
  v1::Record record;
  ASSERT_TRUE(record.ParseFromString(std::string(open_envelope(unread.back().payload)->body)));
  ASSERT_EQ(record.header().ranges_size(), 1);
  EXPECT_EQ(record.header().ranges(0).from(), taken);
  EXPECT_EQ(record.header().ranges(0).to(), taken + 3);
  EXPECT_EQ(record.header().ranges(0).last_crc(), crc);
}

TEST_F(Leader, P30_AGapInTheJournalIsVoidAndItLeadsOn) {
  ask_for_session();
  read_gap();
  read_all_back();
  EXPECT_EQ(orders().size(), 1u);
  EXPECT_TRUE(controller->deciding());
  EXPECT_EQ(controller->projection().chain().next(), next);
}

// ---- P9 and P20: whose heartbeats count ----

class Standby : public LeaderTest {
 protected:
  void SetUp() override {
    when(Tick{});
    v1::Record election;
    election.mutable_header()->set_epoch(1);
    auto* elected = election.add_events()->mutable_controller_elected();
    elected->set_nonce(std::string(Rng(9).uuid().view()));
    elected->mutable_claim()->set_rolling(std::string(32, '\0'));
    elected->set_rules(kRules);
    when(JournalRead{next++, make_envelope(config.cluster, election.SerializeAsString()), true});
  }
  // One heartbeat in 100 ms for two seconds; true: it wants to stand.
  bool stands_beside(std::uint64_t epoch, std::uint64_t nonce) {
    v1::Heartbeat beat;
    beat.set_epoch(epoch);
    beat.set_nonce(std::string(Rng(nonce).uuid().view()));
    const Signer signer(config.cluster, "controller", 1, derive_key(config.secret, "controller", 1));
    for (int i = 0; i < 20; ++i) {
      when(ControlRead{signer.sign(Channel::kControl, beat.SerializeAsString())});
      pass(100 * kMillisecond);
      if (out.journal_end_wanted) return true;
    }
    return false;
  }
};

// The log stood still, and hands out what was written before.
TEST_F(Standby, P16_AHeartbeatThatComesLateDoesNotSetTheClustersTimeBack) {
  const Signer signer(config.cluster, "controller", 1, derive_key(config.secret, "controller", 1));
  const auto hear = [&](Timestamp time) {
    v1::Heartbeat beat;
    beat.set_epoch(1);
    beat.set_nonce(std::string(Rng(9).uuid().view()));
    beat.set_time_ns(time);
    when(ControlRead{signer.sign(Channel::kControl, beat.SerializeAsString())});
    return controller->time_ahead() + now.boottime;
  };
  const Timestamp base = now.wall;
  EXPECT_EQ(hear(base), base);
  pass(10 * kMinute);
  EXPECT_GE(hear(base + 100 * kMillisecond), base + 10 * kMinute - 30 * kSecond) << "it is ten minutes old";
  EXPECT_GE(hear(base + 200 * kMillisecond), base + 10 * kMinute - 30 * kSecond) << "and so is the next one";
  pass(100 * kMillisecond);
  EXPECT_EQ(hear(base + 10 * kMinute + 100 * kMillisecond), base + 10 * kMinute + 100 * kMillisecond);
  for (int i = 0; i < 100; ++i) {  // of a leader whose clock is ten seconds behind that
    pass(kSecond);
    hear(now.wall - 10 * kSecond);
  }
  EXPECT_EQ(hear(now.wall - 10 * kSecond), now.wall - 10 * kSecond) << "it is believed before long";
}

TEST_F(Standby, P9_DoesNotStandBesideTheLeaderWhoseElectionItRead) { EXPECT_FALSE(stands_beside(1, 9)); }
TEST_F(Standby, P20_StandsBesideALeaderOfAnOlderEpoch) { EXPECT_TRUE(stands_beside(0, 9)); }

// Both won epoch 1, each in a log that the other has not read: seed 10395 of the simulator, where it went on
// for ever.
TEST_F(Standby, P9_StandsBesideALeaderWhoseElectionTheJournalLost) { EXPECT_TRUE(stands_beside(1, 10)); }
TEST_F(Standby, P9_StandsBesideALeaderOfALaterEpochThatTheJournalLost) { EXPECT_TRUE(stands_beside(2, 10)); }

TEST_F(Standby, P9_StandsAtOnceWhereTheLeaderSaysThatItLeaves) {
  v1::Heartbeat beat;
  beat.set_epoch(1);
  beat.set_nonce(std::string(Rng(9).uuid().view()));
  const Signer signer(config.cluster, "controller", 1, derive_key(config.secret, "controller", 1));
  when(ControlRead{signer.sign(Channel::kControl, beat.SerializeAsString())});
  pass(20 * kMillisecond);
  ASSERT_FALSE(out.journal_end_wanted) << "it leads";
  beat.set_leaves(true);
  when(ControlRead{signer.sign(Channel::kControl, beat.SerializeAsString())});
  pass(20 * kMillisecond);
  EXPECT_TRUE(out.journal_end_wanted);
}

// Appends are refused. It stands again, less and less often, and at once when a leader was heard meanwhile.
TEST_F(Standby, P9_StandsLessOftenWhileItsElectionsComeToNothing) {
  const auto stands_within = [&](Duration time) {
    int stood = 0;
    for (const Timestamp until = now.boottime + time; now.boottime < until;) {
      pass(20 * kMillisecond);
      if (!out.journal_end_wanted) continue;
      when(JournalEnd{next});
      if (unread.empty()) continue;
      ++stood;
      fails(std::exchange(unread, {}).front());
    }
    return stood;
  };
  const int first = stands_within(12 * kSecond), later = stands_within(kMinute);
  EXPECT_GE(first, 3);
  EXPECT_LE(first, 5);
  EXPECT_GE(later, 1) << "it goes on for as long as it takes";
  EXPECT_LE(later, 3);
  v1::Heartbeat beat;
  beat.set_epoch(1);
  beat.set_nonce(std::string(Rng(9).uuid().view()));
  const Signer signer(config.cluster, "controller", 1, derive_key(config.secret, "controller", 1));
  when(ControlRead{signer.sign(Channel::kControl, beat.SerializeAsString())});
  EXPECT_EQ(stands_within(kSecond), 1);
}

// ---- P12: the copy that a leader decides on ----

class Elected : public LeaderTest {
 protected:
  void SetUp() override {
    when(Tick{});
    pass(2 * kSecond);
    when(JournalEnd{next});
    read_back();
    ASSERT_EQ(controller->mode(), Controller::Mode::kLeader);
    for (const auto& check : std::exchange(checks, {})) when(InputChecked{check.partition, true, 0});
  }
};

TEST_F(Elected, P9_SaysThatItLeavesWhereItIsStopped) {
  Outputs last;
  controller->leave(now, last);
  ASSERT_EQ(last.appends.size(), 1u);
  EXPECT_EQ(last.appends[0].partition.stream, Stream::kControl);
  v1::Heartbeat beat;
  ASSERT_TRUE(parse_body(open_envelope(last.appends[0].payload, config.cluster), beat));
  EXPECT_TRUE(beat.leaves());
  EXPECT_EQ(controller->mode(), Controller::Mode::kStandby);
}

TEST_F(Standby, P9_WhoDoesNotLeadLeavesWithoutAWord) {
  Outputs last;
  controller->leave(now, last);
  EXPECT_TRUE(last.appends.empty());
}

TEST_F(Elected, P12_DecidesNothingBeforeItsCopyWasComparedWithTheLogOnceMore) {
  EXPECT_FALSE(controller->deciding());
  ask_for_session();
  EXPECT_TRUE(events().empty());
  when(JournalEnd{next});
  EXPECT_TRUE(controller->deciding());
  EXPECT_FALSE(events().empty());
}

// The log lost what it and all others had read, after they compared and before its election landed: seed
// 15215 of the simulator.
TEST_F(Elected, P12_LeadsNoMoreWhenItsCopyWasWrong) {
  when(Reloaded{
      std::make_unique<projections::Projection>(config.cluster, projections::Projection::Tracking::kNone)});
  when(JournalEnd{next});
  EXPECT_EQ(controller->mode(), Controller::Mode::kStandby);
  EXPECT_TRUE(events().empty());
}

// ---- P22 ----

// Nothing is in flight when a new leader sends its snapshots.
TEST_F(Reelected, P22_ASnapshotWhoseAppendFailsIsAppendedAgain) {
  ASSERT_EQ(orders().size(), 1u);
  EXPECT_TRUE(orders()[0].has_snapshot());
  const Append sent = appends_to(Stream::kOrders)[0];
  ASSERT_NE(sent.ticket, 0u);
  fails(sent);
  EXPECT_TRUE(appends_to(Stream::kOrders).empty()) << "not without a pause";
  pass(kSecond);
  ASSERT_EQ(appends_to(Stream::kOrders).size(), 1u);
  EXPECT_EQ(appends_to(Stream::kOrders)[0].payload, sent.payload);
}

}  // namespace
}  // namespace berth::controller
