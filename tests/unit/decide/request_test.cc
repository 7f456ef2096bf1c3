// What every request goes through before its own handler (P13): repeat, conflict, expiry.
#include "events/base/time/rfc3339.h"
#include "events/base/wire_time.h"
#include "events/codec/chain_head.h"
#include "tests/support/decide.h"
#include "tests/support/folders.h"
#include "tests/support/producers.h"

namespace berth::testing::decisions {
namespace {

// The answer to a repeat, if the first answer is the next record of the case.
v1::Event repeat_of_next(Case& c) {
  const v1::Record next = c.journal().next_record({});
  v1::Event e;
  auto* first = e.mutable_request_repeated()->mutable_first();
  first->set_epoch(next.header().epoch());
  first->set_sequence(next.header().sequence());
  return e;
}

v1::Event expired_at(Timestamp deadline) {
  v1::Event e = request_expired();
  e.mutable_request_expired()->set_not_after_ms(deadline / kMillisecond);
  return e;
}

TEST(Request, ItsAnswerHasItsActorItsKeyAndItsTrace) {
  v1::Request r = keyed(request_session("s1"), "k1");
  r.set_trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  v1::Event answer = answering(session_requested("s1"), "user:alice", "k1");
  answer.set_trace(r.trace());
  given(world()).when(r).then({answer});
}

TEST(Request, P4_ATraceThatIsNoneIsDropped) {
  for (const char* trace : {"00-trace", "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"}) {
    v1::Request r = request_session("s1");
    r.set_trace(trace);
    Case c = given(world());
    c.when(r).then({session_requested("s1")});
    EXPECT_EQ(c.decided().at(0).trace(), "");
  }
}

TEST(Request, P4_WithAnActorThatIsNoNameThereIsNobodyToAnswer) {
  v1::Request r = request_session("s1");
  r.set_actor("user:" + std::string(300'000, 'u'));
  given(world()).when(r).then({});
}

TEST(Request, ItsRefusalHasItsActorItsKeyAndTheHashOfItsBody) {
  Case c = given(world());
  c.when(keyed(terminate_session("s9"), "k1")).then_refused("unknown-session");
  EXPECT_EQ(c.decided().at(0).actor(), "user:alice");
  EXPECT_EQ(c.decided().at(0).request_id(), wire("k1"));
  EXPECT_EQ(c.decided().at(0).body_hash().size(), 16u);
}

// ---- repeats ----

// The log's first head key, and what asks for the next one.
std::pair<v1::Event, v1::Request> head_key_and_next() {
  SealingRing ring;
  ring.add({1, std::string(kSealKeyBytes, 'k')});
  const HeadSigner signer(test_cluster(), ring);
  v1::Event first;
  *first.mutable_head_key_changed() = signer.first(std::string(kHeadSeedBytes, 'a'));
  const v1::HeadKeyChanged next =
      *signer.next(first.head_key_changed().public_key(), first.head_key_changed().secret_key(),
                   std::string(kHeadSeedBytes, 'b'));
  v1::Request rotate = controller_request();
  rotate.mutable_rotate_head_key()->set_public_key(next.public_key());
  *rotate.mutable_rotate_head_key()->mutable_secret_key() = next.secret_key();
  rotate.mutable_rotate_head_key()->set_previous_key(next.previous_key());
  rotate.mutable_rotate_head_key()->set_signature(next.signature());
  return {first, rotate};
}

TEST(Request, P13_ARepeatIsAnsweredByItsFirstAnswer) {
  Case c = given(world());
  const v1::Event repeated = repeat_of_next(c);
  c.when(keyed(request_session("s1"), "k1")).then({session_requested("s1")});
  v1::Request again = keyed(request_session("s1"), "k1");  // asks the same, though it is sent later
  again.set_trace("00-again");
  c.after(500 * kMillisecond).when(again).then({repeated});
  EXPECT_EQ(c.state().sessions.size(), 1u);
}

v1::Event seal_key_8() {
  v1::Event e;
  e.mutable_seal_key_added()->set_number(8);
  *e.mutable_seal_key_added()->mutable_key() = some_sealed(7);
  return e;
}

// A world in which each request of the list below means something.
Events world_of_all_requests(const v1::Event& head_key) {
  v1::Event enrolled = agent_enrolled("a2");
  enrolled.mutable_agent_enrolled()->set_token_hash(std::string(16, 't'));
  enrolled.mutable_agent_enrolled()->set_token_expires_ns(INT64_MAX);
  return world() +
         Events{session_requested("s1"),
                head_key,
                Limit("user", "alice").sessions(5),
                enrolled,
                preset_defined("small", "cpu", kUnit),
                internal_error_recorded("session s0"),
                key_pair_defined("AK1", "alice"),
                password_set("bob"),
                password_set("alice"),
                seal_key_8(),
                browser_session_started("b1", "alice"),
                session_requested("s3"),
                session_scheduled("s3", "a1"),
                kernel_running(kernel_name("s3"))} +
         agent_of_volume("a3") + ready_folder("kept") +
         Events{user_with_role("root", "superadmin"), agent_enrolled("a4"), joined_with("a4", {"gone"}),
                agent_left("a4")} +
         Events{with_token(producer_defined("other", {}, {}), std::string(16, 't'), INT64_MAX)};
}

TEST(Request, P13_ARepeatOfEachRequestIsAnsweredByItsFirstAnswer) {
  const auto [head_key, rotate] = head_key_and_next();
  const Events history = world_of_all_requests(head_key);
  std::set<int> asked;
  for (const auto& r : {request_session("s2"),
                        terminate_session("s1"),
                        define({domain_defined("d")}),
                        set_limit(Limit("domain", "default").sessions(1)),
                        remove_limit("user", "alice"),
                        fence_agent("a1"),
                        drain_agent("a1"),
                        enroll_agent("a1"),
                        confirm_clock(),
                        release_quarantine("session s0"),
                        set_history_rule(0),
                        prune_history((kTestStart - 30 * kDay) / kMillisecond),
                        add_seal_key(9),
                        destroy_seal_key(3),
                        reseal_password("alice", 1),
                        record_sealing("c1", 9),
                        record_backup(kTestStart - kHour),
                        rotate,
                        remove("preset", "small"),
                        collect_agent_key("a2", std::string(16, 't')),
                        put_domain("d"),
                        put_project("default", "p"),
                        create_user("carol"),
                        put_membership("bob", "default", "admin"),
                        add_key_pair("AK2", "alice"),
                        change_key_pair("AK1", false),
                        issue_login_link("alice", std::string(16, 't'), kTestStart + kHour),
                        set_password("bob"),
                        start_browser_session("b2", "bob"),
                        end_browser_sessions("alice"),
                        record_use_of_key("AK1", kTestStart),
                        terminate_sessions({"s1"}),
                        open_kernel("s3"),
                        record_image_build(image_building("jupyter:4.6", 1)),
                        create_folder("data"),
                        rename_folder("kept", "data"),
                        share_folder("kept", "user", "bob"),
                        forget_volume("gone"),
                        share_session("s3", "user", "bob"),
                        put_producer(web_producer()),
                        collect_producer_key("other", std::string(16, 't'))}) {
    SCOPED_TRACE(r.ShortDebugString());
    Case c = given(history);
    const v1::Event repeated = repeat_of_next(c);
    c.when(keyed(r, "k1"));
    ASSERT_GE(c.decided().size(), 1u);  // the first answers; a session may bring its owner's folder
    ASSERT_FALSE(c.decided()[0].has_request_refused());
    c.when(keyed(r, "k1")).then({repeated});
    asked.insert(r.body_case());
  }
  const int all =
      v1::Request::descriptor()->FindOneofByName("body")->field_count() - 1;  // a restore is refused
  EXPECT_EQ(static_cast<int>(asked.size()), all) << "a request is missing here";
}

TEST(Request, P13_ARefusedRequestIsRefusedOnce) {
  Case c = given(world());
  const v1::Event repeated = repeat_of_next(c);
  c.when(keyed(fence_agent("a2"), "k1")).then_refused("unknown-agent");
  c.and_given(agent("a2"));
  c.when(keyed(fence_agent("a2"), "k1")).then({repeated});
}

TEST(Request, P13_TheSameKeyForAnotherRequestIsAConflict) {
  Case c = given(world());
  const v1::Event repeated = repeat_of_next(c);
  c.when(keyed(request_session("s1"), "k1")).then({session_requested("s1")});
  c.when(keyed(request_session("s2"), "k1")).then_refused("idempotency-conflict");
  EXPECT_EQ(c.decided().at(0).request_id(), "") << "the key is the first request's";
  EXPECT_EQ(c.state().sessions.size(), 1u);
  c.when(keyed(request_session("s1"), "k1")).then({repeated});
}

TEST(Request, P13_TheSameKeyForAnotherDefinitionIsAConflict) {
  Case c = given(world());
  const v1::Event repeated = repeat_of_next(c);
  c.when(keyed(define({domain_defined("d1")}), "k1")).then({domain_defined("d1")});
  c.when(keyed(define({domain_defined("d2")}), "k1")).then_refused("idempotency-conflict");
  EXPECT_EQ(c.state().domains.find("d2"), nullptr);
  c.when(keyed(define({domain_defined("d1")}), "k1")).then({repeated});
}

// Each time an API server makes another secret for it.
TEST(Request, P13_AKeyOfARequestWithAFreshSecretIsARepeatWhateverTheSecret) {
  Case c = given(world());
  const v1::Event repeated = repeat_of_next(c);
  c.when(keyed(issue_login_link("alice", std::string(16, 't'), kTestStart + kHour), "k1"));
  c.when(keyed(issue_login_link("alice", std::string(16, 'u'), kTestStart + kHour), "k1")).then({repeated});
}

TEST(Request, P13_AKeyIsItsActorsOwn) {
  given(world())
      .when(keyed(request_session("s1"), "k1"))
      .when(sent_by(keyed(request_session("s2"), "k1"), "bob"))
      .then({session_requested("s2", Spec(), "bob")});
}

// ---- expiry ----

TEST(Request, P13_ARequestThatComesTooLateExpires) {
  Case c = given(world());
  const Timestamp sent = c.journal().time();
  v1::Request r = request_session("s1");
  r.set_sent_ms(sent / kMillisecond);
  c.after(controller::kNotAfterDefault + kSecond).when(r);
  c.then({expired_at(sent + controller::kNotAfterDefault)});
  EXPECT_EQ(c.state().sessions.size(), 0u);
}

TEST(Request, P13_AtItsDeadlineARequestIsStillDecided) {
  Case c = given(world());
  v1::Request r = request_session("s1");
  r.set_sent_ms(c.journal().time() / kMillisecond);
  c.after(controller::kNotAfterDefault).when(r).then({session_requested("s1")});
}

TEST(Request, P13_ARequestMaySetItsDeadlineUpToOneHour) {
  for (const auto& [wanted, deadline] : {std::pair{kMinute, kMinute}, std::pair{30 * kMinute, 30 * kMinute},
                                         std::pair{2 * kHour, controller::kNotAfterMax}}) {
    v1::Request r = request_session("s1");
    Case late = given(world());
    const Timestamp sent = late.journal().time();
    r.set_sent_ms(sent / kMillisecond);
    r.set_not_after_ms((sent + wanted) / kMillisecond);
    late.after(deadline + kMillisecond).when(r).then({expired_at(sent + deadline)});
    given(world()).after(deadline).when(r).then({session_requested("s1")});
  }
}

TEST(Request, P16_ARequestOfFarAheadIsRefusedAndBothTimesAreNamed) {
  Case c = given(world());
  v1::Request r = request_session("s1");
  r.set_sent_ms((c.journal().time() + 11 * kMinute) / kMillisecond);
  c.when(r).then_refused("clock-ahead");
  const std::string& message = c.decided()[0].request_refused().message();
  EXPECT_NE(message.find(format_second(c.decided_at())), std::string::npos) << message;
  EXPECT_NE(message.find(format_second(from_wire_ms(r.sent_ms()))), std::string::npos) << message;
}

// As if it were of now: its deadline is not later by that.
TEST(Request, P16_ARequestOfALittleAheadIsDecided) {
  Case c = given(world());
  v1::Request r = request_session("s1");
  r.set_sent_ms((c.journal().time() + 9 * kMinute) / kMillisecond);
  c.when(r).then({session_requested("s1")});
}

// The leader has leapt from the last header of the evening to the morning: by the maker's wall clock the
// request is of now. Neither a wall clock that is wrong nor an old one keeps a request alive.
TEST(Request, P16_ARequestOfBeforeALeapOfTimeIsDecidedWhereItsMakersClockAgrees) {
  const auto decided = [](Duration wall_after_evening) {
    Case c = given(world());
    const Timestamp evening = c.journal().time();
    v1::Request r = request_session("s1");
    r.set_sent_ms(evening / kMillisecond);
    if (wall_after_evening >= 0) r.set_wall_ms((evening + wall_after_evening) / kMillisecond);
    return c.after(8 * kHour).when(r).decided()[0].has_session_requested();
  };
  EXPECT_TRUE(decided(8 * kHour));
  EXPECT_TRUE(decided(8 * kHour - 9 * kMinute));
  EXPECT_FALSE(decided(-1)) << "no wall clock is told";
  EXPECT_FALSE(decided(0)) << "it is of the evening";
  EXPECT_FALSE(decided(9 * kHour)) << "a clock that is wrong";
}

TEST(Request, P13_ARepeatOfAnExpiredRequestIsAnsweredByItsExpiry) {
  Case c = given(world());
  v1::Request r = keyed(request_session("s1"), "k1");
  r.set_sent_ms(c.journal().time() / kMillisecond);
  c.after(kHour);
  const v1::Event repeated = repeat_of_next(c);
  c.when(r).when(r).then({repeated});
}

// ---- no answer ----

TEST(Request, WithoutAnActorOrAnIdThereIsNobodyToAnswer) {
  v1::Request without_actor = request_session("s1");
  without_actor.clear_actor();
  given(world()).when(without_actor).then({});
  for (const std::string& id : {std::string("short"), std::string(16, '\0')}) {
    v1::Request without_id = request_session("s1");
    without_id.set_id(id);
    given(world()).when(without_id).then({});
  }
}

TEST(Request, ARequestThatThisControllerDoesNotKnowIsRefused) {
  given(world()).when(request()).then_refused("unknown-request");
}

}  // namespace
}  // namespace berth::testing::decisions
