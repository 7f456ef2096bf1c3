// P13: what the fold remembers of requests, so that a duplicate gets the first answer.
#include <gtest/gtest.h>

#include "projections/tables/session_bounds.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::AnswerKind;

constexpr const char* kAlice = "user:alice";

v1::Event asked(const std::string& session, const std::string& request, const std::string& body = "body") {
  auto event = answering(session_requested(session), kAlice, request);
  event.set_body_hash(std::string(as_view(blake2b_128(body))));
  return event;
}

TEST(Requests, AnAcceptedOneIsRememberedWithItsSessionsAndItsBody) {
  Given g = given(definitions());
  const Timestamp at = g.journal().time();
  auto second = asked("s2", "r");
  second.clear_body_hash();  // on the first event of its record
  g.when({asked("s1", "r"), second}).then_applied();
  const auto* row = g.request(kAlice, "r");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->answer, AnswerKind::kAccepted);
  EXPECT_EQ(row->answered_at, at);
  EXPECT_EQ(row->body_hash, blake2b_128("body"));
  EXPECT_EQ(row->sessions, (std::vector<SessionId>{session_id("s1"), session_id("s2")}));
  EXPECT_EQ(row->position.index, 0u) << "the first event answered it";
}

TEST(Requests, OneThatSelectedSessionsToEndIsRememberedWithThem) {
  Given g = given(definitions() + Events{session_requested("s1"), session_requested("s2")});
  g.and_given({answering(termination_begun({"s2", "s1"}), kAlice, "r"), session_cancelled("s1")});
  EXPECT_EQ(g.request(kAlice, "r")->selected, (std::vector{session_id("s2"), session_id("s1")}));
  EXPECT_TRUE(g.request(kAlice, "r")->sessions.empty()) << "it ended none";
}

TEST(Requests, ATerminationIsOfARequestAndOfSessionsThatExist) {
  Given g = given(definitions() + Events{session_requested("s1")});
  g.when({termination_begun({"s1"})}).then_forbidden("of no request").when_elected();
  g.when({answering(termination_begun({"s1", "s9"}), kAlice, "r")})
      .then_forbidden("no such session")
      .when_elected();
  const std::vector<std::string> many(projections::kSelectedMax + 1, "s1");
  g.when({answering(termination_begun(many), kAlice, "r")}).then_forbidden("too many sessions");
}

TEST(Requests, ARefusedOneIsRememberedWithWhy) {
  Given g = given(definitions());
  auto refused = answering(request_refused("unknown-image"), kAlice, "r");
  refused.mutable_request_refused()->set_message("no image is named x");
  refused.mutable_request_refused()->set_hint("known: python:3.11");
  g.and_given({refused});
  const auto* row = g.request(kAlice, "r");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->answer, AnswerKind::kRefused);
  EXPECT_EQ(row->code, "unknown-image");
  EXPECT_EQ(row->message, "no image is named x");
  EXPECT_EQ(row->hint, "known: python:3.11");
}

TEST(Requests, AnExpiredOneIsRememberedAsSuch) {
  Given g = given(definitions() + Events{answering(request_expired(), kAlice, "r")});
  EXPECT_EQ(g.request(kAlice, "r")->answer, AnswerKind::kExpired);
}

TEST(Requests, ARepeatedOneChangesNothing) {
  Given g = given(definitions() + Events{asked("s1", "r")});
  const auto before = *g.request(kAlice, "r");
  g.and_given({answering(request_repeated(), kAlice, "r")});
  EXPECT_EQ(g.request(kAlice, "r")->position, before.position);
  EXPECT_EQ(g.request(kAlice, "r")->sessions, before.sessions);
}

TEST(Requests, TheSameIdOfAnotherActorIsAnotherRequest) {
  Given g = given(definitions() + Events{asked("s1", "r")});
  EXPECT_EQ(g.request("user:bob", "r"), nullptr);
}

TEST(Requests, AnEndThatWasAskedForIsAnsweredWithItsSession) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1"), session_requested("s2"), session_scheduled("s2", "a1")});
  g.and_given({answering(session_cancelled("s1"), kAlice, "end s1"),
               answering(session_terminating("s2"), kAlice, "end s2")});
  EXPECT_EQ(g.request(kAlice, "end s1")->sessions, std::vector<SessionId>{session_id("s1")});
  EXPECT_EQ(g.request(kAlice, "end s2")->sessions, std::vector<SessionId>{session_id("s2")});
}

TEST(Requests, OtherThingsThatPeopleAskForAreAnsweredToo) {
  const Events all{group_defined("other"),          user_defined("bob"),
                   image_registered("x:1"),         agent_enrolled("a9"),
                   agent_drain_changed("a1", true), agent_fenced("a1"),
                   quarantine_released("group:x"),  clock_confirmed(),
                   key_pair_defined("AK", "alice")};
  Given g = given(definitions() + agent("a1"));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string request = "r" + std::to_string(i);
    g.and_given({answering(all[i], kAlice, request)});
    EXPECT_NE(g.request(kAlice, request), nullptr) << all[i].ShortDebugString();
  }
}

TEST(Requests, WhatNobodyAskedForIsRememberedForNobody) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1"), session_cancelled("s1", "pending-timeout")});
  EXPECT_EQ(g.state().requests.size(), 0u);
}

TEST(Requests, AVoidRecordAnsweredNobody) {
  Given g = given(definitions());
  g.when({asked("s1", "r"), session_cancelled("nobody")}).then_forbidden("event 1");
  EXPECT_EQ(g.request(kAlice, "r"), nullptr);
  EXPECT_TRUE(g.state().answered().empty());
}

TEST(Requests, P13_TheyAreForgottenAfter24HoursOfHeaderTime) {
  Given g = given(definitions() + Events{asked("s1", "r")});
  const Timestamp answered = g.request(kAlice, "r")->answered_at;
  g.after(answered + 24 * kHour - g.journal().time());
  g.and_given({clock_confirmed()});
  EXPECT_NE(g.request(kAlice, "r"), nullptr) << "exactly 24 h: kept";
  g.and_given({clock_confirmed()});
  EXPECT_EQ(g.request(kAlice, "r"), nullptr);
  EXPECT_TRUE(g.state().answered().empty());
}

}  // namespace
}  // namespace berth::testing
