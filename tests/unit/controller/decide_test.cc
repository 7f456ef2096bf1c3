// Requests against a state that a record writer folds: what is emitted, refused, repeated.
#include "controller/decide/decide.h"

#include <gtest/gtest.h>

#include "controller/cell/leader/record_writer.h"
#include "events/base/random.h"
#include "events/codec/envelope.h"
#include "events/codec/request_hash.h"

namespace berth::controller {
namespace {

constexpr Timestamp kNow = 1'700'000'000 * kSecond;

class Decide : public ::testing::Test {
 protected:
  Decide()
      : cluster_(Rng(7).uuid()),
        projection_(cluster_, projections::Projection::Tracking::kNone),
        writer_(projection_) {
    v1::Record election;
    election.mutable_header()->set_epoch(1);
    auto* elected = election.add_events()->mutable_controller_elected();
    elected->set_nonce(std::string(Rng(8).uuid().view()));
    elected->mutable_claim()->set_rolling(std::string(32, '\0'));
    elected->set_rules(kRules);
    EXPECT_TRUE(projection_.apply(0, seal(cluster_, election.SerializeAsString())).applied());
    v1::Request define;
    for (const auto& [name, kind] :
         {std::pair{"cpu", 0u}, std::pair{"mem", 1u}, std::pair{"cuda.shares", 0u}}) {
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
    v1::Request enroll;
    enroll.mutable_enroll_agent()->set_agent("a0");
    decide(enroll, 2);
    join("a0");
  }

  // An agent of the group "default" with 8 cpus and 16 GiB.
  void join(const std::string& name) {
    writer_.open(kNow);
    v1::Event e;
    auto* joined = e.mutable_agent_joined();
    joined->set_agent(name);
    joined->set_incarnation(std::string(Rng(9).uuid().view()));
    joined->set_nonce(std::string(Rng(10).uuid().view()));
    joined->set_group("default");
    for (const auto& [slot, amount] :
         {std::pair<const char*, std::int64_t>{"cpu", 8 * kUnit}, {"mem", 16ll << 30}}) {
      auto* s = joined->add_slots();
      s->set_slot(slot);
      s->set_amount(amount);
    }
    writer_.add(std::move(e));
    EXPECT_EQ(writer_.forbidden(), "");
    writer_.close();
  }

  // Decides one request in a record of its own; its events.
  std::vector<v1::Event> decide(v1::Request request, std::uint64_t id, Timestamp now = kNow) {
    request.set_id(std::string(Rng(1000 + id).uuid().view()));
    request.set_actor("user:u1");
    if (request.sent_ms() == 0) request.set_sent_ms(kNow / kMillisecond);
    request.mutable_owner()->set_user("u1");
    writer_.open(now);
    static const InHistory kNoHistory;
    const EventList decided =
        decide_request({projection_.state(), writer_.position(), now, kNoHistory}, request);
    if (!decided.empty()) writer_.add(decided);
    EXPECT_EQ(writer_.forbidden(), "");
    std::vector<v1::Event> events(writer_.record().events().begin(), writer_.record().events().end());
    if (events.empty())
      writer_.cancel();
    else
      writer_.close();
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
  again.set_sent_ms(kNow / kMillisecond + 500);  // a retry is sent later; what it asks is the same
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

TEST_F(Decide, Define_TakesFairShareAndSelectionsThatLearn) {
  v1::Request define;
  auto* group = define.mutable_define()->add_groups();
  group->set_name("g");
  group->set_order("fair-share");
  group->set_head_of_line("strict");
  std::uint64_t id = 220;
  for (const char* select : {"fgd", "balanced", "ours"}) {
    group->set_select(select);
    EXPECT_EQ(decide(define, id++)[0].resource_group_defined().select(), select);
  }
}

TEST_F(Decide, Define_RefusesFairShareSettingsThatMeanNothing) {
  std::uint64_t id = 230;
  const auto code = [&](auto change) {
    v1::Request define;
    auto* group = define.mutable_define()->add_groups();
    group->set_name("g");
    group->set_order("fair-share");
    group->set_select("concentrated");
    group->set_head_of_line("strict");
    auto* weight = group->mutable_fair_share()->add_weights();
    weight->set_scope("user");
    weight->set_id("alice");
    weight->set_weight(kUnit / 2);
    change(*group->mutable_fair_share());
    const auto events = decide(define, id++);
    return events[0].has_request_refused() ? events[0].request_refused().code() : "";
  };
  using F = v1::FairShare;
  EXPECT_EQ(code([](F& f) {
              f.set_half_life_days(365);
              f.set_lookback_days(90);
            }),
            "");
  EXPECT_EQ(code([](F& f) { f.set_half_life_days(-1); }), "invalid-fair-share");
  EXPECT_EQ(code([](F& f) { f.set_half_life_days(366); }), "invalid-fair-share");
  EXPECT_EQ(code([](F& f) { f.set_lookback_days(91); }), "invalid-fair-share");
  EXPECT_EQ(code([](F& f) { f.add_slot_weights()->set_slot("cpu"); }), "invalid-fair-share");
  EXPECT_EQ(code([](F& f) { f.mutable_weights(0)->set_weight(0); }), "invalid-fair-share");
  EXPECT_EQ(code([](F& f) { f.mutable_weights(0)->set_id(""); }), "invalid-fair-share");
  EXPECT_EQ(code([](F& f) { *f.add_weights() = f.weights(0); }), "invalid-fair-share");
  EXPECT_EQ(code([](F& f) { f.mutable_weights(0)->set_scope("planet"); }), "unknown-scope");
}

TEST_F(Decide, Define_RefusesCustomSelectionWithoutAName) {
  v1::Request define;
  auto* group = define.mutable_define()->add_groups();
  group->set_name("g");
  group->set_order("fifo");
  group->set_select("custom");
  group->set_head_of_line("strict");
  EXPECT_EQ(decide(define, 24)[0].request_refused().code(), "missing-policy");
  group->set_custom("../etc/passwd");
  EXPECT_EQ(decide(define, 25)[0].request_refused().code(), "invalid-definition");
  group->set_custom("roomy_memory");
  EXPECT_EQ(decide(define, 26)[0].resource_group_defined().custom(), "roomy_memory");
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

TEST_F(Decide, Define_RefusesAPreemptionThatDoesNotExist) {
  v1::Request define;
  auto* group = define.mutable_define()->add_groups();
  group->set_name("g");
  group->set_order("fifo");
  group->set_select("concentrated");
  group->set_head_of_line("strict");
  auto* preemption = group->mutable_preemption();
  preemption->set_order("oldest");
  preemption->set_mode("terminate");
  preemption->set_scope("user");
  EXPECT_TRUE(decide(define, 60)[0].has_resource_group_defined());
  preemption->set_order("random");
  EXPECT_EQ(decide(define, 61)[0].request_refused().code(), "unknown-policy");
  preemption->set_order("newest");
  preemption->set_mode("pause");
  EXPECT_EQ(decide(define, 62)[0].request_refused().code(), "unknown-policy");
  preemption->set_mode("reschedule");
  preemption->set_scope("planet");
  EXPECT_EQ(decide(define, 63)[0].request_refused().code(), "unknown-policy");
  preemption->set_scope("project");
  preemption->set_min_runtime_ms(-1);
  EXPECT_EQ(decide(define, 64)[0].request_refused().code(), "invalid-definition");
}

TEST_F(Decide, RequestSession_RefusesAJobPriorityOrSessionGroupOutOfRange) {
  auto request = session("s1");
  auto* spec = request.mutable_request_session()->mutable_spec();
  spec->set_job_priority(1001);
  EXPECT_EQ(decide(request, 65)[0].request_refused().code(), "invalid-spec");
  spec->set_job_priority(-1000);
  spec->mutable_session_group()->set_rule(v1::SPREAD);
  EXPECT_EQ(decide(request, 66)[0].request_refused().code(), "invalid-name");
  spec->mutable_session_group()->set_name(std::string(65, 'x'));
  EXPECT_EQ(decide(request, 67)[0].request_refused().code(), "invalid-name");
  spec->mutable_session_group()->set_name("web");
  spec->mutable_session_group()->set_rule(v1::SESSION_GROUP_RULE_UNSPECIFIED);
  EXPECT_EQ(decide(request, 68)[0].request_refused().code(), "invalid-spec");
  spec->mutable_session_group()->set_rule(v1::PACK);
  EXPECT_TRUE(decide(request, 69)[0].has_session_requested());
}

TEST_F(Decide, RequestSession_S13_IsRefusedWhereNoAgentOfTheGroupHasTheSlot) {
  auto request = session("s1");
  auto* shares = request.mutable_request_session()->mutable_spec()->mutable_roles(0)->add_slots();
  shares->set_slot("cuda.shares");
  EXPECT_TRUE(decide(request, 30)[0].has_session_requested());  // 0 of it is no wish
  shares = request.mutable_request_session()->mutable_spec()->mutable_roles(0)->mutable_slots(2);
  shares->set_amount(kUnit);
  request.mutable_request_session()->set_name("s2");
  EXPECT_EQ(decide(request, 31)[0].request_refused().code(), "slot-not-served");
}

TEST_F(Decide, RequestSession_S13_IsRefusedWhereTheGroupHasNoAgents) {
  v1::Request define;
  auto* group = define.mutable_define()->add_groups();
  group->set_name("empty");
  group->set_order("fifo");
  group->set_select("concentrated");
  group->set_head_of_line("strict");
  decide(define, 32);
  auto request = session("s1");
  request.mutable_request_session()->mutable_spec()->set_group("empty");
  EXPECT_EQ(decide(request, 33)[0].request_refused().code(), "no-agents");
}

// Section 13: cpu and mem come from the image where nobody says them, mem with shm on top; below them is
// refused.
TEST_F(Decide, RequestSession_S13_TheImagesMinimumFillsInAndHolds) {
  v1::Request define;
  auto* image = define.mutable_define()->add_images();
  image->set_reference("big:1");
  image->set_source("oci:/x:1");
  for (const auto& [key, value] :
       {std::pair{"berth.min.cpu", "2"}, {"berth.min.mem", "512m"}, {"berth.min.npu", "1"}}) {
    auto* label = image->add_labels();
    label->set_key(key);
    label->set_value(value);
  }
  decide(define, 34);
  v1::Request request;
  request.mutable_request_session()->set_name("s1");
  auto* spec = request.mutable_request_session()->mutable_spec();
  spec->set_image("big:1");
  spec->add_roles();
  const auto events = decide(request, 35);
  ASSERT_TRUE(events[0].has_session_requested()) << events[0].request_refused().message();
  const auto& role = events[0].session_requested().spec().roles(0);
  EXPECT_EQ(role.slots(0).amount(), 2 * kUnit);
  EXPECT_EQ(role.slots(1).amount(), 576ll << 20);
  auto small = session("s2");
  small.mutable_request_session()->mutable_spec()->set_image("big:1");
  EXPECT_EQ(decide(small, 36)[0].request_refused().code(), "below-image-minimum");
  EXPECT_TRUE(decide(session("s3", 4 * kUnit), 37)[0].has_session_requested());
}

TEST_F(Decide, RequestSession_ARoleMayBeNamedOnce) {
  auto request = session("s1");
  *request.mutable_request_session()->mutable_spec()->add_roles() = request.request_session().spec().roles(0);
  EXPECT_EQ(decide(request, 38)[0].request_refused().code(), "invalid-spec");
}

v1::Request batch(v1::Request request, const std::vector<std::string>& depends_on = {}) {
  request.mutable_request_session()->mutable_spec()->set_type(v1::BATCH);
  request.mutable_request_session()->mutable_spec()->add_command("true");
  for (const auto& name : depends_on) request.mutable_request_session()->add_depends_on(name);
  return request;
}

TEST_F(Decide, RequestSession_DependsOnOwnSessionsByNameOrId) {
  const auto first = decide(batch(session("d1")), 40);
  const std::string id = first[0].session_requested().session_id();
  const auto events = decide(batch(session("s1"), {"d1", to_string(*Uuid::from_bytes(id))}), 41);
  ASSERT_TRUE(events[0].has_session_requested()) << events[0].request_refused().message();
  ASSERT_EQ(events[0].session_requested().spec().depends_on_size(), 1);
  EXPECT_EQ(events[0].session_requested().spec().depends_on(0), id);
  EXPECT_EQ(decide(batch(session("s2"), {"nobody"}), 42)[0].request_refused().code(), "unknown-dependency");
  EXPECT_EQ(decide(batch(session("s3"), {"s3"}), 43)[0].request_refused().code(), "dependency-cycle");
  EXPECT_EQ(decide(batch(session("s4", kUnit, 2), {"s4-2"}), 44)[0].request_refused().code(),
            "dependency-cycle");
}

TEST_F(Decide, RequestSession_DependenciesAreForBatchSessionsAlone) {
  decide(batch(session("d1")), 45);
  decide(session("i1"), 46);
  auto interactive = session("s1");
  interactive.mutable_request_session()->add_depends_on("d1");
  EXPECT_EQ(decide(interactive, 47)[0].request_refused().code(), "not-for-this-type");
  EXPECT_EQ(decide(batch(session("s2"), {"i1"}), 48)[0].request_refused().code(), "not-for-this-type");
}

// Section 13, and that the sessions of one request count one after the other.
TEST_F(Decide, RequestSession_S13_ThePendingLimitIsForAllSessionsOfTheRequest) {
  v1::Request limit;
  limit.mutable_set_limit()->mutable_limit()->set_scope("user");
  limit.mutable_set_limit()->mutable_limit()->set_id("u1");
  limit.mutable_set_limit()->mutable_limit()->mutable_pending()->set_most(2);
  ASSERT_TRUE(decide(limit, 50)[0].has_limit_set());
  EXPECT_EQ(decide(session("s", kUnit, 3), 51)[0].request_refused().code(), "limit-exceeded");
  EXPECT_EQ(decide(session("s", kUnit, 2), 52).size(), 2u);
  EXPECT_EQ(decide(session("t"), 53)[0].request_refused().code(), "limit-exceeded");
}

TEST_F(Decide, SetLimit_RefusesWhatNamesNothing) {
  v1::Request limit;
  auto* body = limit.mutable_set_limit()->mutable_limit();
  body->set_scope("planet");
  body->set_id("u1");
  EXPECT_EQ(decide(limit, 54)[0].request_refused().code(), "unknown-scope");
  body->set_scope("project");
  EXPECT_EQ(decide(limit, 55)[0].request_refused().code(), "invalid-definition");
  body->set_id("default/u1");
  body->add_slots()->set_slot("rocks");
  EXPECT_EQ(decide(limit, 56)[0].request_refused().code(), "unknown-slot");
  v1::Request remove;
  remove.mutable_remove_limit()->set_scope("user");
  remove.mutable_remove_limit()->set_id("u1");
  EXPECT_EQ(decide(remove, 57)[0].request_refused().code(), "unknown-limit");
}

TEST_F(Decide, EnrollAgent_RaisesTheGenerationEachTime) {
  v1::Request enroll;
  enroll.mutable_enroll_agent()->set_agent("a1");
  EXPECT_EQ(decide(enroll, 23)[0].agent_enrolled().generation(), 1u);
  EXPECT_EQ(decide(enroll, 24)[0].agent_enrolled().generation(), 2u);
}

}  // namespace
}  // namespace berth::controller
