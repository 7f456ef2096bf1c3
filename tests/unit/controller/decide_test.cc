// Requests against a state that a record writer folds: what is emitted, refused, repeated.
#include "controller/decide/decide.h"

#include <gtest/gtest.h>

#include "controller/core/record_writer.h"
#include "events/base/random.h"
#include "events/codec/envelope.h"
#include "events/codec/request_hash.h"

namespace berth::controller {
namespace {

constexpr Timestamp kNow = 1'700'000'000 * kSecond;

class Decide : public testing::Test {
 protected:
  Decide() : cluster_(Rng(7).uuid()), projection_(cluster_, projections::Projection::Tracking::kNone), writer_(projection_) {
    v1::Record election;
    election.mutable_header()->set_epoch(1);
    auto* elected = election.add_events()->mutable_controller_elected();
    elected->set_nonce(std::string(Rng(8).uuid().view()));
    elected->mutable_claim()->set_rolling(std::string(32, '\0'));
    elected->set_rules(1);
    EXPECT_TRUE(projection_.apply(0, seal(cluster_, election.SerializeAsString())).applied());
    v1::Request define;
    for (const auto& [name, kind] : {std::pair{"cpu", 0u}, std::pair{"mem", 1u}, std::pair{"cuda.shares", 0u}}) {
      auto* slot = define.mutable_define()->add_slot_types();
      slot->set_name(name);
      slot->set_kind(kind);
      slot->set_quantum(kind == 0 ? kUnit / 10 : 0);
    }
    auto* group = define.mutable_define()->add_groups();
    group->set_name("default");
    group->set_order("fifo");
    group->set_select("concentrated");
    group->set_head_of_line("strict");
    decide(define, 1);
  }

  // Decides one request in a record of its own; its events.
  std::vector<v1::Event> decide(v1::Request request, std::uint64_t id, Timestamp now = kNow) {
    request.set_id(std::string(Rng(1000 + id).uuid().view()));
    request.set_actor("user:u1");
    if (request.sent_ms() == 0) request.set_sent_ms(kNow / kMillisecond);
    request.mutable_owner()->set_user("u1");
    writer_.open(now);
    static const InHistory kNoHistory;
    DecisionContext c{projection_.state(),
                      writer_.position(),
                      now,
                      kNoHistory,
                      [this](v1::Event e) { writer_.add(std::move(e)); },
                      {},
                      {},
                      {}};
    decide_request(c, request);
    EXPECT_EQ(writer_.forbidden(), "");
    std::vector<v1::Event> events(writer_.record().events().begin(), writer_.record().events().end());
    if (events.empty()) writer_.cancel();
    else writer_.close();
    return events;
  }

  static v1::Request session(const std::string& name, std::int64_t cpu = kUnit, std::uint32_t count = 1) {
    v1::Request request;
    auto* body = request.mutable_request_session();
    body->set_name(name);
    body->set_count(count);
    auto* role = body->mutable_spec()->add_roles();
    for (const auto& [slot, amount] : {std::pair<const char*, std::int64_t>{"cpu", cpu}, {"mem", 1 << 30}}) {
      auto* s = role->add_slots();
      s->set_slot(slot);
      s->set_amount(amount);
    }
    return request;
  }

  Uuid cluster_;
  projections::Projection projection_;
  RecordWriter writer_;
};

TEST_F(Decide, RequestSession_IsAcceptedWithItsDefaultsFilledIn) {
  const auto events = decide(session("s1"), 10);
  ASSERT_EQ(events.size(), 1u);
  const auto& spec = events[0].session_requested().spec();
  EXPECT_EQ(spec.type(), v1::INTERACTIVE);
  EXPECT_EQ(spec.group(), "default");
  EXPECT_EQ(spec.priority(), 10);
  EXPECT_EQ(spec.shm(), 64ll << 20);
  EXPECT_EQ(spec.max_attempts(), 5u);
}

TEST_F(Decide, P13_NamesAreNumberedOnlyWhenThereAreSeveral) {
  const auto events = decide(session("demo", kUnit, 3), 11);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].session_requested().name(), "demo-1");
  EXPECT_EQ(events[2].session_requested().name(), "demo-3");
  EXPECT_NE(events[0].session_requested().session_id(), events[1].session_requested().session_id());
}

TEST_F(Decide, RequestSession_AcceptsAllOrNone) {
  decide(session("demo-2"), 12);
  const auto events = decide(session("demo", kUnit, 3), 13);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].request_refused().code(), "name-in-use");
  EXPECT_EQ(projection_.state().sessions.size(), 1u);
}

TEST_F(Decide, P13_ARepeatIsAnsweredByItsFirstAnswer) {
  decide(session("s1"), 14);
  auto again = session("s1");
  again.set_sent_ms(kNow / kMillisecond + 500);   // a retry is sent later; what it asks is the same
  const auto events = decide(again, 14);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].has_request_repeated());
  EXPECT_EQ(projection_.state().sessions.size(), 1u);
}

TEST_F(Decide, P13_TheSameKeyForAnotherRequestIsAConflict) {
  decide(session("s1"), 15);
  const auto events = decide(session("s2"), 15);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].request_refused().code(), "idempotency-conflict");
  EXPECT_EQ(projection_.state().sessions.size(), 1u);
}

TEST_F(Decide, P13_ARequestThatComesTooLateExpires) {
  const auto events = decide(session("s1"), 16, kNow + kNotAfterDefault + kSecond);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].has_request_expired());
  EXPECT_EQ(projection_.state().sessions.size(), 0u);
}

TEST_F(Decide, RequestSession_RefusesAnAmountThatIsNoMultipleOfTheQuantumAndNamesTheNearest) {
  const auto events = decide(session("s1", kUnit / 4), 17);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].request_refused().code(), "invalid-amount");
  EXPECT_EQ(events[0].request_refused().hint(), "nearest below 0.2, nearest above 0.3");
}

TEST_F(Decide, P4_ARequestWhoseRecordWouldBeTooLargeIsRefused) {
  auto request = session("s1");
  auto* env = request.mutable_request_session()->mutable_spec()->add_env();
  env->set_key("X");
  env->set_value(std::string(300'000, 'x'));
  const auto events = decide(request, 18);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].request_refused().code(), "request-too-large");
}

TEST_F(Decide, TerminateSession_CancelsWhatIsPending) {
  const auto asked = decide(session("s1"), 19);
  v1::Request end;
  end.mutable_terminate_session()->set_session_id(asked[0].session_requested().session_id());
  const auto events = decide(end, 20);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].session_cancelled().reason(), "user-requested");
  EXPECT_EQ(decide(end, 21)[0].request_refused().code(), "session-ended");
}

TEST_F(Decide, Define_RefusesPoliciesThatDoNotExist) {
  v1::Request define;
  auto* group = define.mutable_define()->add_groups();
  group->set_name("g");
  group->set_order("random");
  group->set_select("concentrated");
  group->set_head_of_line("strict");
  const auto events = decide(define, 22);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].request_refused().code(), "unknown-policy");
}

TEST_F(Decide, EnrollAgent_RaisesTheGenerationEachTime) {
  v1::Request enroll;
  enroll.mutable_enroll_agent()->set_agent("a1");
  EXPECT_EQ(decide(enroll, 23)[0].agent_enrolled().generation(), 1u);
  EXPECT_EQ(decide(enroll, 24)[0].agent_enrolled().generation(), 2u);
}

}  // namespace
}  // namespace berth::controller
