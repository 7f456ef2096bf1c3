// Why a session waits or goes, where others are preempted: who makes room, and for whom, as far as the asker
// may know.
#include "controller/answers/answers.h"

#include <gtest/gtest.h>

#include "events/base/time/rfc3339.h"
#include "tests/support/given.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

const SeesSession kEverybody = [](const projections::SessionRow&) { return true; };
const SeesSession kNobody = [](const projections::SessionRow&) { return false; };

Explanation told(const Given& g, const std::string& session, const SeesSession& sees) {
  Answers answers;
  return answers.why(g.state(), kTestStart, session_id(session), sees);
}

Given preempted(bool put_back) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("low", Spec().cpu(8)), session_scheduled("low", "a1"),
                         kernel_running(kernel_name("low")),
                         session_requested("high", Spec().cpu(4).job_priority(5))});
  g.when({put_back ? session_put_back("low", "high") : session_preempted("low", "high"),
          session_reserved("high", "a1")})
      .then_applied();
  return g;
}

// It was blank: "RUNNING", and nothing else.
TEST(WhyGone, ASessionOnALostAgentNamesTheAgentSinceWhenAndWhatComesNext) {
  Given g = given(definitions() + agent("a1") + running("s1", "a1"));
  EXPECT_EQ(told(g, "s1", kEverybody).text, "");
  g.when({agent_lost("a1")}).then_applied();
  const Explanation e = told(g, "s1", kEverybody);
  EXPECT_EQ(e.code, "agent-lost");
  EXPECT_EQ(e.text, "agent a1 is lost since " + format_second(kTestStart) +
                        ": nobody knows whether the session still runs there, and its slots stay taken");
  EXPECT_NE(e.hint.find("`berth agent fence a1`"), std::string::npos);
  g.and_given({agent_joined("a1", 16, 64 * kGiga, {}, 2)});
  EXPECT_EQ(told(g, "s1", kEverybody).text, "") << "it is back";
}

TEST(WhyPreempted, AReservedSessionSaysWhoMakesRoom) {
  const Given g = preempted(false);
  const Explanation e = told(g, "high", kEverybody);
  EXPECT_EQ(e.code, "preempting");
  EXPECT_EQ(e.text, "its place on a1 is held for it; 1 session makes room");
  ASSERT_FALSE(e.holders.empty());
  EXPECT_EQ(e.holders[0].name, "low");
}

TEST(WhyPreempted, OneThatMakesRoomSaysForWhom) {
  const Given g = preempted(false);
  const Explanation e = told(g, "low", kEverybody);
  EXPECT_EQ(e.code, "preempted");
  EXPECT_EQ(e.text, "it was preempted for session high of alice (job priority 5, its own is 0)");
  EXPECT_EQ(e.blocked_by, session_id("high"));
}

TEST(WhyPreempted, NamesNobodyWhomTheAskerMayNotKnow) {
  const Given g = preempted(false);
  const Explanation e = told(g, "low", kNobody);
  EXPECT_EQ(e.text, "it was preempted for a session of a higher job priority");
  EXPECT_TRUE(e.blocked_by.is_nil());
}

TEST(WhyPreempted, OneThatWaitsAgainSaysItToo) {
  Given g = preempted(true);
  EXPECT_EQ(told(g, "low", kEverybody).hint, "it goes back to the queue when it has ended");
  g.and_given({kernel_terminated(kernel_name("low"), v1::STOPPED), session_requeued("low", 0, "preempted")});
  const Explanation e = told(g, "low", kEverybody);
  EXPECT_EQ(e.code, "preempted");
  EXPECT_NE(e.text.find("it was preempted for session high"), std::string::npos) << e.text;
}

}  // namespace
}  // namespace berth::controller
