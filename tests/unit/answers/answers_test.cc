// What people are told of sessions that wait, or would wait: over the durable state, as the API asks it.
#include "controller/answers/answers.h"

#include <gtest/gtest.h>

#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

class AnswersTest : public ::testing::Test {
 public:
  AnswersTest() { given_.projection().set_listener(&answers_); }
  ~AnswersTest() override { given_.projection().set_listener(nullptr); }

 protected:
  static v1::Request request(const v1::SessionSpec& spec, std::uint32_t count = 1,
                             const std::string& name = "new") {
    v1::Request request;
    request.set_id(std::string(16, 'r'));
    request.set_actor("user:alice");
    *request.mutable_owner() = owner("alice");
    request.mutable_request_session()->set_name(name);
    request.mutable_request_session()->set_count(count);
    *request.mutable_request_session()->mutable_spec() = spec;
    return request;
  }
  DryRunAnswer dry_run(
      const v1::Request& request, const SeesSession& sees = [](const auto&) { return true; }) {
    static const InHistory kNoPast;
    return answers_.dry_run(given_.state(), given_.journal().time(), request, kNoPast, sees);
  }
  Explanation why(
      const std::string& name, const SeesSession& sees = [](const auto&) { return true; }) {
    return answers_.why(given_.state(), given_.journal().time(), session_id(name), sees);
  }

  Given given_{definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 4, 64 * kGiga)}};
  Answers answers_;
};

TEST_F(AnswersTest, ADryRunSaysWhatWhyWouldSayOfTheFirstThatWaits) {
  given_.and_given(running("long", "a1", Spec().cpu(3)));
  const auto answer = dry_run(request(Spec().cpu(1), 3));
  ASSERT_EQ(answer.sessions.size(), 3u);
  EXPECT_EQ(answer.sessions[0].starts, true);
  EXPECT_EQ(answer.sessions[0].kernels.at(0).agent, "a1");
  EXPECT_EQ(answer.sessions[1].starts, false);
  EXPECT_EQ(answer.waiting, "new-2");
  ASSERT_TRUE(answer.why);
  EXPECT_EQ(answer.why->code, "no-capacity");
  EXPECT_EQ(answer.why->text, "the session asked for before it in the same request takes the room");
  EXPECT_TRUE(answer.note.empty());

  const auto alone = dry_run(request(Spec().cpu(2)));
  EXPECT_EQ(alone.why->slot, "cpu");
  EXPECT_EQ(alone.why->queue_position, 1u);
  ASSERT_EQ(alone.why->holders.size(), 1u);
  EXPECT_EQ(alone.why->holders[0].name, "long");
  EXPECT_EQ(alone.why->unblock.ends, (std::vector<std::vector<SessionId>>{{session_id("long")}}));
  EXPECT_TRUE(why("new").code.empty());  // nothing is left of it
}

TEST_F(AnswersTest, NamesTheFirstTwentyHoldersThatTheAskerMaySeeAndCountsAll) {
  for (int i = 0; i < 30; ++i)
    given_.and_given(running("s" + std::to_string(i), "a1", Spec().slot("cpu", kUnit / 10).mem(kGiga)));
  const auto all = dry_run(request(Spec().cpu(2)));
  ASSERT_TRUE(all.why);
  EXPECT_EQ(all.why->holders.size(), Explanation::kHoldersMax);
  EXPECT_EQ(all.why->holders_total, 30u);
  const auto some =
      dry_run(request(Spec().cpu(2)), [](const auto& session) { return session.name.ends_with("7"); });
  EXPECT_EQ(some.why->holders.size(), 3u);
  EXPECT_EQ(some.why->holders_total, 30u);
}

TEST_F(AnswersTest, ADryRunNamesTheLimitAndWhatTheRequestItselfTakesOfIt) {
  given_.and_given({Limit("user", "alice").slot("cpu", 2 * kUnit)});
  const auto answer = dry_run(request(Spec().cpu(2), 2));
  EXPECT_EQ(answer.sessions[0].starts, true);
  EXPECT_EQ(answer.why->code, "limit");
  ASSERT_EQ(answer.why->limits.size(), 1u);
  EXPECT_EQ(answer.why->limits[0].used, 2 * kUnit);
}

TEST_F(AnswersTest, OfALimitItSaysHowFarToRaiseItAndWhatComesThen) {
  given_.and_given(running("long", "a1", Spec().cpu(2)));
  given_.and_given({Limit("user", "alice").slot("cpu", 2 * kUnit).sessions(1)});
  given_.and_given({session_requested("s1", Spec().cpu(2)), session_reason_changed("s1", "limit", "")});
  EXPECT_EQ(why("s1").unblock.lines,
            (std::vector<std::string>{"raise the sessions limit of user alice by 1",
                                      "raise the cpu limit of user alice by 2", "with that it starts"}));
  given_.and_given({session_requested("s2", Spec().cpu(3)), session_reason_changed("s2", "limit", "")});
  EXPECT_EQ(why("s2").unblock.lines.back(), "with that it still waits");
}

TEST_F(AnswersTest, ALimitIsNotNamedAsWhatWouldHelpOneThatWaitsForRoom) {
  given_.and_given(running("long", "a1", Spec().cpu(4)));
  given_.and_given({Limit("user", "alice").slot("cpu", 4 * kUnit)});
  given_.and_given(
      {session_requested("s1", Spec().cpu(2)), session_reason_changed("s1", "no-capacity", "cpu")});
  const auto told = why("s1");
  EXPECT_EQ(told.limits.size(), 1u);
  EXPECT_EQ(told.unblock.lines, std::vector<std::string>{"starts if long ends"});
}

TEST_F(AnswersTest, ADryRunIsRefusedAsTheRequestAndNamesNobodyWhomTheAskerMayNotSee) {
  given_.and_given(running("long", "a1", Spec().cpu(4)));
  EXPECT_EQ(dry_run(request(Spec(), 1, "long")).refusal->code, "name-in-use");
  const auto answer = dry_run(request(Spec().cpu(1)), [](const auto&) { return false; });
  EXPECT_TRUE(answer.why->holders.empty());
  EXPECT_TRUE(answer.why->unblock.ends.empty());
  for (const auto& line : answer.why->unblock.lines) EXPECT_EQ(line.find("long"), std::string::npos) << line;
}

TEST_F(AnswersTest, TellsWhenASessionIsExpectedToStartAndKeepsCount) {
  given_.and_given(running("job", "a1", Spec().batch().cpu(4).batch_timeout(kMinute)));
  given_.and_given({session_requested("s1", Spec().cpu(2))});
  const Timestamp now = given_.journal().time();
  const auto told = why("s1");
  ASSERT_TRUE(told.start);
  ASSERT_EQ(told.start->percentiles.size(), 2u);
  ASSERT_TRUE(told.start->percentiles[0].at);
  EXPECT_LE(*told.start->percentiles[0].at, now + kMinute);
  EXPECT_GT(*told.start->percentiles[0].at, now + 50 * kSecond);
  given_.after(30 * kSecond);
  given_.and_given({kernel_terminated(kernel_name("job"))});
  given_.and_given({session_scheduled("s1", "a1")});
  EXPECT_EQ(answers_.calibration()[0].made, 1u);
  EXPECT_EQ(answers_.calibration()[0].met, 1u);
  EXPECT_FALSE(answers_.estimate_start(given_.state(), now, session_id("s1")));  // it waits no more
  EXPECT_TRUE(dry_run(request(Spec().cpu(4))).why->start);
}

TEST_F(AnswersTest, AStartTimeThatHasPassedHoldsNobodyInADryRun) {
  given_.and_given(
      {session_requested("b1", Spec().batch().cpu(4).start_at(given_.journal().time() + kMinute))});
  EXPECT_EQ(dry_run(request(Spec().cpu(4))).sessions[0].starts, true);
  given_.after(2 * kMinute);
  EXPECT_EQ(dry_run(request(Spec().cpu(4))).sessions[0].starts, false);  // b1 comes first now
}

v1::Event default_group(const std::function<void(v1::ResourceGroupDefined&)>& change) {
  v1::Event event = group_defined("default");
  change(*event.mutable_resource_group_defined());
  return event;
}

// The same cluster under each order: the form of the answers is one.
TEST_F(AnswersTest, EveryOrderHasProvedAnswersAndAnEstimate) {
  given_.and_given(running("job", "a1", Spec().batch().cpu(4).batch_timeout(kMinute)));
  given_.and_given(
      {session_requested("s1", Spec().cpu(2)), session_reason_changed("s1", "no-capacity", "cpu")});
  for (const char* order : {"fifo", "lifo", "drf", "fair-share", "backfill"}) {
    given_.and_given({default_group([&](auto& group) { group.set_order(order); })});
    const auto told = why("s1");
    EXPECT_TRUE(told.unblock.proved && told.unblock.complete) << order;
    EXPECT_EQ(told.unblock.ends, (std::vector<std::vector<SessionId>>{{session_id("job")}})) << order;
    EXPECT_TRUE(told.start && told.start->percentiles.at(1).at) << order;
    EXPECT_EQ(told.queue_position, 1u) << order;
  }
}

TEST_F(AnswersTest, WhereNoStartCanBeKnownItSaysWhy) {
  given_.and_given(running("job", "a1", Spec().cpu(4)));  // it declared no end, and its kind has no past
  given_.and_given({session_requested("s1", Spec().cpu(2))});
  const auto told = why("s1");
  ASSERT_TRUE(told.start);
  EXPECT_EQ(told.start->percentiles.at(0).at, std::nullopt);
  EXPECT_EQ(told.start->percentiles.at(0).none, "ends-unknown");
}

TEST_F(AnswersTest, OneBehindTheHeadIsToldWhoBlocksIt) {
  given_.and_given(running("job", "a1", Spec().cpu(2)));
  given_.and_given(
      {session_requested("big", Spec().cpu(4)), session_reason_changed("big", "no-capacity", "cpu"),
       session_requested("small", Spec().cpu(1)), session_reason_changed("small", "behind-head", "")});
  const auto told = why("small");
  EXPECT_EQ(told.blocked_by, session_id("big"));
  EXPECT_EQ(told.queue_position, 2u);
}

TEST_F(AnswersTest, OneBehindTheHeadIsNotToldTheIdOfAHeadThatItsAskerMayNotSee) {
  given_.and_given(running("job", "a1", Spec().cpu(2)));
  given_.and_given(
      {session_requested("big", Spec().cpu(4)), session_reason_changed("big", "no-capacity", "cpu"),
       session_requested("small", Spec().cpu(1)), session_reason_changed("small", "behind-head", "")});
  const auto told = why("small", [](const projections::SessionRow& row) { return row.name != "big"; });
  EXPECT_EQ(told.code, "behind-head");
  EXPECT_TRUE(told.blocked_by.is_nil());
  EXPECT_EQ(told.blocked_by_name, "");
}

TEST_F(AnswersTest, TheHeadIsNamedAlsoInWhatWouldLiftIt) {
  given_.and_given(running("job", "a1", Spec().cpu(2)));
  given_.and_given(
      {session_requested("big", Spec().cpu(4)), session_reason_changed("big", "no-capacity", "cpu"),
       session_requested("small", Spec().cpu(1)), session_reason_changed("small", "behind-head", "")});
  EXPECT_EQ(why("small").hint, "session big starts or leaves the queue");
}

TEST_F(AnswersTest, OneBehindTheHeadThatNeverFitsIsToldThatFirst) {
  given_.and_given(running("job", "a1", Spec().cpu(2)));
  given_.and_given(
      {session_requested("big", Spec().cpu(4)), session_reason_changed("big", "no-capacity", "cpu"),
       session_requested("huge", Spec().cpu(100)), session_reason_changed("huge", "behind-head", "")});
  const auto told = why("huge");
  EXPECT_EQ(told.code, "behind-head");
  EXPECT_EQ(told.text,
            "no agent can ever hold 100 cpu: the largest has 4 (agent a1)\n"
            "session big stands before it and blocks the queue");
  EXPECT_EQ(told.hint, "a larger agent joins the group; or ask for less");
  EXPECT_EQ(told.holders_total, 0u);
}

TEST_F(AnswersTest, OneHolderIsSaidToBeEnoughOnlyWhereItIs) {
  given_.and_given(running("one", "a1", Spec().cpu(2)) + running("two", "a1", Spec().cpu(2)));
  given_.and_given(
      {session_requested("half", Spec().cpu(2)), session_reason_changed("half", "no-capacity", "cpu"),
       session_requested("all", Spec().cpu(4)), session_reason_changed("all", "no-capacity", "cpu")});
  EXPECT_EQ(why("half").hint, "it starts by itself when one of the holders ends");
  EXPECT_EQ(why("all").hint, "it starts by itself when enough of the holders end");
}

TEST_F(AnswersTest, AReservedSessionHasItsPlaceInTheQueue) {
  given_.and_given(running("low", "a1", Spec().cpu(4)));
  given_.and_given({session_requested("high", Spec().cpu(4).job_priority(5))});
  given_.when({session_preempted("low", "high"), session_reserved("high", "a1")}).then_applied();
  const auto told = why("high");
  EXPECT_EQ(told.code, "preempting");
  EXPECT_EQ(told.queue_position, 1u);
}

// Where its sessions would stand is said as if it concentrated, and that it is said.
TEST_F(AnswersTest, ADryRunInAGroupWithAPolicyOfItsOwnSaysThatItWasNotAsked) {
  given_.and_given({default_group([](auto& group) {
    group.set_select("custom");
    group.set_custom("rack");
  })});
  const auto answer = dry_run(request(Spec().cpu(1)));
  EXPECT_EQ(answer.sessions.at(0).starts, true);
  EXPECT_EQ(
      answer.note,
      "the group's policy \"rack\" is not asked for a dry run: places are as if the group concentrated");
}

}  // namespace
}  // namespace berth::controller
