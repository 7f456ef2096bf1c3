// P5 and P7: when a record counts, and what a forbidden one leaves behind.
#include <gtest/gtest.h>

#include "events/codec/envelope.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::ApplyOutcome;
using projections::VoidReason;

Given requested() { return given(definitions() + agent("a1") + Events{session_requested("s1")}); }

v1::InputRange range(v1::InputStream stream, std::uint32_t partition, std::uint64_t from, std::uint64_t to) {
  v1::InputRange r;
  r.set_stream(stream);
  r.set_partition(partition);
  r.set_from(from);
  r.set_to(to);
  r.set_last_crc(42);
  return r;
}

// The next record of `g` after bend(record).
template <class Bend> void expect_void(const std::string& reason, Bend bend) {
  Given g = requested();
  v1::Record record = g.journal().next_record({session_requested("s2")});
  bend(record);
  g.when_record(record).then_void(reason);
  EXPECT_FALSE(g.outcome().forbidden());
  EXPECT_FALSE(g.has_session("s2"));
  g.when({session_requested("s2")}).then_applied();  // the right one still comes through
}

TEST(Guard, P5_AnotherEpochIsVoid) {
  expect_void("epoch", [](v1::Record& r) { r.mutable_header()->set_epoch(0); });
  expect_void("epoch", [](v1::Record& r) { r.mutable_header()->set_epoch(2); });
}

TEST(Guard, P5_AnotherSequenceIsVoid) {
  expect_void("sequence", [](v1::Record& r) { r.mutable_header()->set_sequence(r.header().sequence() + 1); });
  expect_void("sequence", [](v1::Record& r) { r.mutable_header()->set_sequence(r.header().sequence() - 1); });
}

TEST(Guard, P5_AnotherLinkIsVoid) {
  expect_void("link", [](v1::Record& r) { r.mutable_header()->set_link(std::string(32, 'x')); });
  expect_void("link", [](v1::Record& r) { r.mutable_header()->clear_link(); });
}

TEST(Guard, P16_TimeThatFallsIsVoid) {
  expect_void("time", [](v1::Record& r) { r.mutable_header()->set_time_ns(kTestStart - 1); });
}

TEST(Guard, P5_AnInputRangeThatBeginsElsewhereIsVoid) {
  expect_void("input-range",
              [](v1::Record& r) { *r.mutable_header()->add_ranges() = range(v1::REQUESTS, 0, 1, 2); });
  expect_void("input-range",
              [](v1::Record& r) { *r.mutable_header()->add_ranges() = range(v1::REQUESTS, 0, 0, 0); });
}

TEST(Guard, P4_ARecordOfNothingIsVoid) {
  expect_void("malformed", [](v1::Record& r) { r.clear_events(); });
}

TEST(Guard, P9_OnlyAnElectionBeginsAnEpoch) {
  expect_void("malformed", [](v1::Record& r) {
    r.mutable_header()->set_epoch(2);
    r.mutable_header()->set_sequence(0);
    r.mutable_header()->clear_link();
  });
}

TEST(Guard, P9_AnElectionInTheMiddleOfAnEpochIsVoid) {
  Given g = requested();
  v1::Record record = g.journal().next_record({});
  auto* elected = record.add_events()->mutable_controller_elected();
  *elected->mutable_claim() = g.journal().claim();
  elected->set_nonce(wire("n"));
  elected->set_rules(kRules);
  g.when_record(record).then_void("malformed");
}

TEST(Guard, P9_TheFirstElectionOfAnEpochWins) {
  Given g = requested();
  TestJournal other = g.journal();  // another candidate, that had read as far
  g.when_elected().then_applied();
  const auto nonce = g.state().epoch().nonce;
  const auto late = g.projection().apply(g.projection().chain().next(), other.elect("late"));
  EXPECT_EQ(late.what, ApplyOutcome::What::kVoid);
  EXPECT_EQ(late.reason, VoidReason::kEpoch);
  EXPECT_EQ(g.state().epoch().nonce, nonce);
}

TEST(Guard, P9_WhatAnOlderLeaderStillWritesIsVoid) {
  Given g = requested();
  const v1::Record late = g.journal().next_record({session_requested("late")});
  g.when_elected().then_applied();
  g.when_record(late).then_void("epoch");
}

TEST(Guard, P13_InputsGoOnWhereTheLastRangeEnded) {
  Given g = requested();
  for (const auto& [from, to] : {std::pair{0, 3}, std::pair{3, 4}}) {
    v1::Record record = g.journal().next_record({});
    *record.mutable_header()->add_ranges() =
        range(v1::REQUESTS, 2, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to));
    g.when_record(record).then_applied();  // inputs that change nothing are a record, too
  }
  EXPECT_EQ(g.state().next_input("requests/2"), 4u);
  EXPECT_EQ(g.state().inputs.find("requests/2")->last_crc, 42u);
  EXPECT_EQ(g.state().next_input("reports/2"), 0u);
  g.when({input_rewound(v1::REQUESTS, 2, 1)}).then_applied();
  EXPECT_EQ(g.state().next_input("requests/2"), 1u);
}

TEST(Guard, P13_AnInputPartitionHasAMarkEachThreeHoursOfTheLastDay) {
  Given g = requested();
  std::vector<std::uint64_t> nexts;
  for (std::uint64_t hour = 0; hour < 40; ++hour) {
    g.journal().advance(kHour);
    v1::Record record = g.journal().next_record({});
    *record.mutable_header()->add_ranges() = range(v1::REQUESTS, 2, hour, hour + 1);
    g.when_record(record).then_applied();
  }
  const auto marks_of = [&] {
    std::vector<std::uint64_t> marks;
    for (const auto& mark : g.state().inputs.find("requests/2")->marks) marks.push_back(mark.next);
    return marks;
  };
  EXPECT_EQ(marks_of(), (std::vector<std::uint64_t>{19, 22, 25, 28, 31, 34, 37, 40}));
  g.when({input_rewound(v1::REQUESTS, 2, 31)}).then_applied();
  EXPECT_EQ(marks_of(), (std::vector<std::uint64_t>{19, 22, 25, 28, 31}));
  EXPECT_EQ(g.state().inputs.find("requests/2")->last_crc, 42u) << "the input below the mark is known";
  g.when({input_rewound(v1::REQUESTS, 2, 20)}).then_applied();
  EXPECT_EQ(marks_of(), (std::vector<std::uint64_t>{19}));
  EXPECT_EQ(g.state().inputs.find("requests/2")->last_crc, 0u);
}

TEST(Guard, P3_WhatIsNoRecordIsVoidAndStopsNobody) {
  Given g = requested();
  const auto next = [&] { return g.projection().chain().next(); };
  EXPECT_EQ(g.projection().apply(next(), "not an envelope").reason, VoidReason::kEnvelopeMalformed);
  EXPECT_EQ(g.projection().apply(next(), make_envelope(test_cluster(), "\xff\xff\xff")).reason,
            VoidReason::kMalformed);
  EXPECT_EQ(g.projection().apply(next(), make_envelope(test_cluster(), "")).reason, VoidReason::kMalformed);
  EXPECT_EQ(g.projection().apply(next(), make_envelope(id_of("other"), "x")).reason,
            VoidReason::kOtherCluster);
  EXPECT_EQ(
      g.projection().apply(next(), make_envelope(test_cluster(), std::string(kRecordBytesMax, 'x'))).reason,
      VoidReason::kTooLarge);
  EXPECT_EQ(g.projection().counters().voided, 5u);
  EXPECT_EQ(g.projection().counters().forbidden, 0u);
}

TEST(Guard, P2_AJournalOfAnotherClusterIsNotFolded) {
  projections::Projection mine(id_of("mine"), projections::Projection::Tracking::kRows);
  TestJournal theirs;
  EXPECT_EQ(mine.apply(0, theirs.elect()).error.code, "other-cluster");
  EXPECT_EQ(mine.chain().next(), 0u);
}

// ---- the second net ----

TEST(SecondNet, P7_AForbiddenRecordIsVoidWhole) {
  Given g = requested();
  const std::string before = dump(g.state());
  g.when({session_requested("s2"), session_scheduled("s1", "a1"), agent_joined("a1", 1, kGiga, {}, 2),
          session_cancelled("nobody")})
      .then_forbidden("event 3: the session is not PENDING");
  EXPECT_FALSE(g.has_session("s2"));
  EXPECT_FALSE(g.has_kernel(kernel_name("s1")));
  EXPECT_EQ(g.taken("a1", "cpu"), 0);
  EXPECT_EQ(g.state().pending().size(), 1u);
  EXPECT_EQ(g.state().timers().size(), 0u);
  EXPECT_EQ(g.state().find_live("alice", "s2"), nullptr);
  EXPECT_EQ(g.agent("a1").slots[0].amount, 8 * kUnit);
  EXPECT_TRUE(g.projection().notes().empty());
  EXPECT_TRUE(g.state().epoch().dead);
  // Nothing but the epoch's own row has changed: no input and no subject was named.
  g.when_elected().then_applied();
  EXPECT_EQ(g.state().quarantine.size(), 0u);
  EXPECT_NE(dump(g.state()), before);
}

TEST(SecondNet, P7_AllThatFollowsInItsEpochIsVoidUntilTheNextElection) {
  Given g = requested();
  g.when({session_cancelled("nobody")}).then_forbidden("event 0");
  g.when({session_requested("s2")}).then_void("dead-epoch");
  g.when_elected().then_applied();
  EXPECT_FALSE(g.state().epoch().dead);
  g.when({session_requested("s2")}).then_applied();
}

TEST(SecondNet, P7_CountsItsInputsAndSubjects) {
  Given g = requested();
  for (std::uint32_t failures = 1; failures <= 2; ++failures) {
    v1::Record record = g.journal().next_record({session_cancelled("nobody")});
    *record.mutable_header()->add_ranges() = range(v1::REQUESTS, 1, 0, 2);
    *record.mutable_header()->add_ranges() = range(v1::REPORTS, 0, 0, 1);
    record.mutable_header()->add_subjects("session:x");
    g.when_record(record).then_forbidden("event 0");
    for (const char* what : {"requests/1@0", "requests/1@1", "reports/0@0", "session:x"}) {
      const auto* row = g.state().quarantine.find(what);
      ASSERT_NE(row, nullptr) << what;
      EXPECT_EQ(row->failures, failures);
      EXPECT_FALSE(row->answered);
    }
    EXPECT_EQ(g.state().next_input("requests/1"), 0u) << "the inputs are still to be decided";
    g.when_elected().then_applied();
  }
}

TEST(SecondNet, P7_InternalErrorChangesOnlyItsQuarantineRow) {
  Given g = requested();
  v1::Record record = g.journal().next_record({session_cancelled("nobody")});
  *record.mutable_header()->add_ranges() = range(v1::REQUESTS, 0, 0, 1);
  record.mutable_header()->add_subjects("session:x");
  g.when_record(record).then_forbidden("event 0");
  g.when_elected();
  g.and_given({internal_error_recorded(v1::REQUESTS, 0, 0), internal_error_recorded("session:x")});
  EXPECT_TRUE(g.state().quarantine.find("requests/0@0")->answered);
  EXPECT_TRUE(g.state().quarantine.find("session:x")->answered);
  g.and_given({internal_error_recorded("never heard of")});  // the net cannot refuse it
  g.and_given({quarantine_released("session:x")});
  EXPECT_EQ(g.state().quarantine.find("session:x"), nullptr);
}

// The stream was cut somewhere above the place that it is read again from.
TEST(SecondNet, P35_ARewindDropsWhatNamesInputsThatAreReadAgain) {
  Given g = requested();
  v1::Record record = g.journal().next_record({session_cancelled("nobody")});
  *record.mutable_header()->add_ranges() = range(v1::REQUESTS, 1, 0, 12);
  *record.mutable_header()->add_ranges() = range(v1::REPORTS, 1, 0, 12);
  record.mutable_header()->add_subjects("session:x");
  record.mutable_header()->add_subjects("requests/11@9");
  g.when_record(record).then_forbidden("event 0");
  g.when_elected();
  g.and_given({internal_error_recorded(v1::REQUESTS, 1, 9), input_rewound(v1::REQUESTS, 1, 9)});
  for (const char* gone : {"requests/1@9", "requests/1@10", "requests/1@11"})
    EXPECT_EQ(g.state().quarantine.find(gone), nullptr) << gone;
  for (const char* kept : {"requests/1@8", "reports/1@9", "requests/11@9", "session:x"})
    EXPECT_NE(g.state().quarantine.find(kept), nullptr) << kept;
}

TEST(SecondNet, AnEventWithoutABodyIsForbidden) {
  requested().when({v1::Event()}).then_forbidden("without a body");
}

TEST(SecondNet, P15_RulesNeverFall) {
  Given g = requested();
  v1::Record record;
  auto* elected = record.add_events()->mutable_controller_elected();
  elected->set_nonce(wire("n"));
  elected->set_rules(0);
  *elected->mutable_claim() = g.journal().claim();
  record.mutable_header()->set_epoch(2);
  record.mutable_header()->set_time_ns(g.journal().time());
  g.when_record(record).then_forbidden("rules never fall");
}

}  // namespace
}  // namespace berth::testing
