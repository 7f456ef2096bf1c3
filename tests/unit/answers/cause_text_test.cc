// Every reason to wait has a sentence with a number or a time, and says what lifts it; and one place in the
// queue is told, whoever asks.
#include "controller/answers/cause_text.h"

#include <gtest/gtest.h>

#include "controller/answers/answers.h"
#include "controller/api/map/session_json.h"
#include "controller/placement/types.h"
#include "events/base/random.h"
#include "tests/support/folders.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

const SeesSession kAnybody = [](const projections::SessionRow&) { return true; };

// In a group where a1 is full and draining, a2 is lost, and a3 takes few containers.
Given crowded() {
  v1::Event small = agent_joined("a3", 4, 8 * kGiga);
  small.mutable_agent_joined()->set_max_containers(1);
  return given(definitions() + agent("a1") + Events{agent_enrolled("a2"), agent_joined("a2", 4, 8 * kGiga)} +
               Events{agent_enrolled("a3"), small, session_requested("old", Spec().cpu(4)),
                      session_scheduled("old", "a3"), agent_drain_changed("a1", true), agent_lost("a2")});
}

Explanation why_of(Given& g, const std::string& code, const v1::SessionSpec& spec = Spec().cpu(4)) {
  g.and_given({session_requested("s1", spec)});
  if (!code.empty()) g.and_given({session_reason_changed("s1", code, "cpu")});
  return Answers().why(g.state(), g.journal().time(), session_id("s1"), kAnybody);
}

TEST(CauseText, EveryCodeHasASentenceItsLiftingConditionAndANumberOrATime) {
  std::vector<std::string> codes{"", "preempted", "start-failed", "agent-lost", "lease-over"};
  for (int code = 1; !placement::to_string(static_cast<placement::Code>(code)).empty(); ++code)
    codes.emplace_back(placement::to_string(static_cast<placement::Code>(code)));
  ASSERT_GT(codes.size(), 15u);
  Spec spec = Spec().batch().cpu(4).start_at(kTestStart + 2 * kHour).session_group("web", v1::SPREAD, true);
  spec.proto().add_agents("a1");
  for (const std::string& code : codes) {
    SCOPED_TRACE(code);
    Given g = crowded();
    g.and_given({Limit("user", "alice").sessions(0)});
    const Explanation e = why_of(g, code, spec);
    EXPECT_EQ(e.code, code.empty() ? "not-tried-yet" : code);
    EXPECT_NE(e.text.find(' '), std::string::npos) << e.text;
    EXPECT_NE(e.text.find_first_of("0123456789"), std::string::npos) << e.text;
    EXPECT_NE(e.hint.find(' '), std::string::npos) << e.hint;
    EXPECT_NE(e.text, e.hint);
    EXPECT_NE(e.text, code) << "the code alone";
  }
}

TEST(CauseText, WhereThereIsNoRoomItNamesTheAgentThatIsDrained) {
  Given g = crowded();
  const Explanation e = why_of(g, "no-capacity");
  EXPECT_NE(e.hint.find("or after `berth agent undrain a1`"), std::string::npos) << e.hint;
}

TEST(CauseText, AnAgentThatCanStartNoKernelIsNamedWithItsReason) {
  v1::Event unfit = agent_joined("a1", 8, 8 * kGiga, {}, 2);
  unfit.mutable_agent_joined()->set_unfit("start-failed: no cgroup");
  Given alone = given(definitions() + agent("a1") + Events{unfit});
  Explanation e = why_of(alone, "no-agents");
  EXPECT_NE(e.text.find("takes sessions: a1 UNFIT (start-failed: no cgroup)"), std::string::npos) << e.text;
  EXPECT_NE(e.hint.find("`berth agent check` on the machine of a1"), std::string::npos) << e.hint;

  Given beside =
      given(definitions() + agent("a1") + Events{unfit, agent_enrolled("a2"), agent_joined("a2", 1, kGiga)});
  e = why_of(beside, "no-capacity");
  EXPECT_NE(e.text.find("1 agent of the group can start no kernel: a1 UNFIT (start-failed: no cgroup)"),
            std::string::npos)
      << e.text;
}

TEST(CauseText, NamesWhereTheFoldersOfASessionAre) {
  Given g = crowded();
  v1::Event other = with_volumes(agent_joined("a4", 4, 8 * kGiga), {"local"});
  other.mutable_agent_joined()->set_group("gpu");
  g.and_given(Events{agent_enrolled("a4"), other} + ready_folder("data"));
  const Explanation e = why_of(g, "no-volume", mounting(Spec().cpu(1), "data"));
  EXPECT_EQ(e.text,
            "none of 1 agent has all volumes that its folders lie on: data on local (a4 ALIVE of group gpu)");
}

TEST(CauseText, SaysHowAgentsStand) {
  Given g = crowded();
  g.and_given({agent_drain_changed("a3", true)});
  const Explanation e = why_of(g, "no-agents");
  EXPECT_EQ(
      e.text,
      "none of the 3 agents of resource group default takes sessions: a1 DRAINING, a2 LOST, a3 DRAINING");
  EXPECT_EQ(e.hint, "`berth agent undrain a1`, or an agent joins the group");
}

TEST(CauseText, SaysHowFarAnImageIsAndThatItsBuildFailed) {
  Given g = crowded();
  g.and_given({image_building("jupyter:4.6", 43, "packages")});
  Explanation e = why_of(g, "image-building", Spec().image("jupyter:4.6"));
  EXPECT_EQ(e.text.substr(0, 47), "image jupyter:4.6 is being built, 43 %: package") << e.text;
  EXPECT_EQ(e.hint, "it starts by itself when the image is there");
  g.and_given({image_building("jupyter:4.6", 44)});
  e = Answers().why(g.state(), g.journal().time(), session_id("s1"), kAnybody);
  EXPECT_NE(e.text.find("being built, 44 %, said 0s ago"), std::string::npos) << e.text;
  g.and_given(
      {image_build_failed("jupyter:4.6", "no room"), session_reason_changed("s1", "image-build-failed")});
  e = Answers().why(g.state(), g.journal().time(), session_id("s1"), kAnybody);
  EXPECT_NE(e.text.find("the build of image jupyter:4.6 failed 0s ago: no room"), std::string::npos)
      << e.text;
  EXPECT_EQ(e.hint, "it starts by itself when the image is built again; or end it");
}

TEST(CauseText, SaysWhenAStartTimeComes) {
  Given g = crowded();
  const Explanation e =
      why_of(g, "start-time", Spec().batch().start_at((g.journal().time() / kSecond + 7'500) * kSecond));
  EXPECT_EQ(e.text.substr(0, 23), "its start time is in 2h") << e.text;
  EXPECT_EQ(e.hint, "it is tried then");
}

// The scheduler has one code for both: a start time that was asked for, and the pause after a failed start.
TEST(CauseText, SaysWhenAFailedStartIsTriedAgain) {
  const Timestamp next = kTestStart + kHour;
  v1::Event requeued = session_requeued("s1", 1);
  requeued.mutable_session_requeued()->set_message("no such file");
  requeued.mutable_session_requeued()->set_not_before_ns(next);
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1"), session_scheduled("s1", "a1"),
                         kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1), requeued,
                         session_reason_changed("s1", "start-time")});
  const auto why = [&](Timestamp now) { return Answers().why(g.state(), now, session_id("s1"), kAnybody); };
  EXPECT_EQ(why(next - 30 * kSecond).text,
            "its last start failed (1 of 5 counted): no such file; the next one is in 30s");
  EXPECT_EQ(why(next - 30 * kSecond).hint, "it is tried then; it is given up after 4 more failed starts");
  EXPECT_EQ(why(next + 5 * kSecond).text,
            "its last start failed (1 of 5 counted): no such file; the next one was due 5s ago");
  EXPECT_EQ(why(next + 5 * kSecond).hint, "the next pass tries it");
}

TEST(CauseText, OneThatIsHeldIsNotSaidToFitAsSoonAsItIsItsTurn) {
  Given g = given(definitions() + agent("a1"));
  const Explanation e = why_of(g, "start-time", Spec().batch().start_at(kTestStart + kDay));
  EXPECT_TRUE(e.unblock.lines.empty()) << e.unblock.lines.front();
}

TEST(CauseText, NamesTheSessionThatBlocks) {
  Given g = given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 4, 8 * kGiga)});
  g.and_given(
      {session_requested("big", Spec().cpu(100)), session_reason_changed("big", "no-capacity", "cpu")});
  const Explanation e = why_of(g, "behind-head", Spec().cpu(1));
  EXPECT_EQ(e.blocked_by_name, "big");
  EXPECT_EQ(e.text, "session big stands before it and blocks the queue");
}

TEST(CauseText, SpansHaveTheirTwoLargestUnits) {
  EXPECT_EQ(span_text(-kSecond), "0s");
  EXPECT_EQ(span_text(59 * kSecond), "59s");
  EXPECT_EQ(span_text(3'605 * kSecond), "1h0m");
  EXPECT_EQ(span_text(50 * kHour), "2d2h");
}

// Whoever asks (`ls`, `show`, `why`) is told the same.
TEST(QueuePosition, IsTheOneOfTheScheduler) {
  for (const char* order : {"fifo", "lifo", "backfill"}) {
    SCOPED_TRACE(order);
    v1::Event group = group_defined("default");
    group.mutable_resource_group_defined()->set_order(order);
    group.mutable_resource_group_defined()->set_head_of_line("skip-after-n");
    group.mutable_resource_group_defined()->set_skip_after(2);
    Given g = given(definitions() + agent("a1") + Events{group});
    Rng random(7);
    for (int i = 0; i < 30; ++i) {
      const std::string name = "s" + std::to_string(i);
      g.and_given({session_requested(name, Spec().cpu(100).priority(1 + static_cast<int>(random.below(3))))});
      if (random.below(3) == 0) g.and_given({session_retried(name, 2)});
      if (random.below(4) == 0) g.and_given({session_reason_changed(name, "limit", "")});
    }
    std::vector<const projections::SessionRow*> all;
    for (const auto& id : g.state().sessions.sorted_keys()) all.push_back(g.state().sessions.find(id));
    const auto positions = api::queue_positions(g.state(), all);
    Answers answers;
    for (const auto* row : all)
      EXPECT_EQ(positions.at(row->id),
                answers.why(g.state(), g.journal().time(), row->id, kAnybody).queue_position);
  }
}

}  // namespace
}  // namespace berth::controller
