// P3 and P15: what this build does not know.
#include <gtest/gtest.h>

#include "events/codec/envelope.h"
#include "projections/fold/event_context.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::ApplyOutcome;
using projections::VoidReason;

Given start() { return given(definitions()); }

// Appends an unknown field to a serialised message: number 1000, a string.
std::string with_unknown_field(std::string bytes) {
  bytes += "\xc2\x3e\x03new";
  return bytes;
}

// The record's bytes with one more event of these bytes.
std::string with_event(const v1::Record& record, const std::string& event) {
  std::string bytes = record.SerializeAsString();
  bytes += '\x12';
  bytes += static_cast<char>(event.size());
  return bytes + event;
}

ApplyOutcome fold(Given& g, const std::string& body, std::uint16_t min_reader = kReaderVersion,
                  std::uint16_t rules = kRules) {
  Envelope envelope;
  envelope.cluster = test_cluster();
  envelope.min_reader = min_reader;
  envelope.rules = rules;
  envelope.body = body;
  return g.projection().apply(g.projection().chain().next(), make_envelope(envelope));
}

TEST(Evolution, P15_AnUnknownFieldStopsAndIsNamed) {
  Given g = start();
  const auto next = g.projection().chain().next();
  const auto outcome =
      fold(g, with_unknown_field(g.journal().next_record({session_requested("s1")}).SerializeAsString()));
  EXPECT_EQ(outcome.what, ApplyOutcome::What::kStop);
  EXPECT_EQ(outcome.error.code, "unknown-field");
  EXPECT_NE(outcome.error.message.find("#1000"), std::string::npos) << outcome.error.message;
  EXPECT_EQ(g.projection().chain().next(), next) << "nothing was taken in";
  EXPECT_FALSE(g.has_session("s1"));
}

TEST(Evolution, P15_AnUnknownFieldDeepInAnEventStops) {
  Given g = start();
  auto event = session_requested("s1");
  auto* spec = event.mutable_session_requested()->mutable_spec();
  spec->GetReflection()->MutableUnknownFields(spec)->AddLengthDelimited(1000, "new");
  EXPECT_EQ(fold(g, g.journal().next_record({event}).SerializeAsString()).error.code, "unknown-field");
}

TEST(Evolution, P15_AnUnknownEventStopsUnlessItMayBeSkipped) {
  const auto record = [](Given& g) { return g.journal().next_record({session_requested("s1")}); };
  Given g = start();
  EXPECT_EQ(fold(g, with_event(record(g), with_unknown_field(""))).what, ApplyOutcome::What::kStop);

  v1::Event skippable;
  skippable.set_skippable(true);
  Given h = start();
  EXPECT_TRUE(fold(h, with_event(record(h), with_unknown_field(skippable.SerializeAsString()))).applied());
  EXPECT_TRUE(h.has_session("s1"));
}

TEST(Evolution, EveryEventOfTheSchemaIsFolded) {
  const auto* body = v1::Event::descriptor()->FindOneofByName("body");
  for (int i = 0; i < body->field_count(); ++i) {
    v1::Event event;
    event.GetReflection()->MutableMessage(&event, body->field(i));
    const std::string outcome = start().when({event}).outcome().text();
    EXPECT_EQ(outcome.find("unknown kind"), std::string::npos) << body->field(i)->name();
  }
}

TEST(Evolution, P15_ANewerReaderOrRulesStop) {
  Given g = start();
  const auto body = g.journal().next_record({session_requested("s1")}).SerializeAsString();
  EXPECT_EQ(fold(g, body, kReaderVersion + 1).error.code, "reader-too-old");
  EXPECT_EQ(fold(g, body, kReaderVersion, kRules + 1).error.code, "reader-too-old");
  EXPECT_TRUE(fold(g, body).applied());
}

// How newer rules keep what older ones did: a handler asks whether its event's epoch has them.
TEST(Evolution, P15_AHandlerKnowsTheRulesOfItsEventsEpoch) {
  projections::State state;
  std::vector<projections::OrderNote> notes;
  const v1::Event event;
  const projections::EventContext context{state, event, {}, 0, 0, notes, test_cluster()};
  for (const std::uint32_t rules : {kRules, std::uint16_t{kRules + 1}}) {
    projections::EpochRow row = state.epoch();
    row.rules = rules;
    state.epochs.put(row);
    EXPECT_TRUE(context.rules_since(kRules));
    EXPECT_EQ(context.rules_since(kRules + 1), rules > kRules);
  }
}

// No release has written such bytes: a whole journal of them stops a reader, which says what to do. Once the
// cluster has a record of its own such bytes are as any others that are no record.
TEST(Evolution, AJournalOfBuildsBeforeTheFirstReleaseIsRefused) {
  std::string before = make_envelope(test_cluster(), "body");
  before[3] = 'H';
  projections::Projection empty(test_cluster(), projections::Projection::Tracking::kRows);
  const auto outcome = empty.apply(0, before);
  EXPECT_EQ(outcome.what, ApplyOutcome::What::kStop);
  EXPECT_EQ(outcome.error.code, "made-before-0.1.0");
  EXPECT_FALSE(outcome.error.hint.empty());
  Given g = start();
  EXPECT_EQ(g.projection().apply(g.projection().chain().next(), before).reason,
            VoidReason::kEnvelopeMalformed);
}

TEST(Evolution, P3_AVoidRecordStopsNobody) {
  Given g = start();
  v1::Record old = g.journal().next_record({session_requested("s1")});
  old.mutable_header()->set_epoch(0);
  EXPECT_EQ(fold(g, old.SerializeAsString(), kReaderVersion + 1, kRules + 1).reason, VoidReason::kEpoch);
  EXPECT_EQ(fold(g, with_unknown_field(old.SerializeAsString())).reason, VoidReason::kEpoch);
  v1::Record wrong_claim = g.journal().next_record({});
  wrong_claim.add_events()->mutable_chain_head_recorded()->mutable_claim()->set_offset(1);
  EXPECT_EQ(fold(g, with_unknown_field(wrong_claim.SerializeAsString()), kReaderVersion + 1).what,
            ApplyOutcome::What::kMismatch);
}

}  // namespace
}  // namespace berth::testing
