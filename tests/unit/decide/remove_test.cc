#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(Remove, WhatNothingUsesIsRemovedAndItsNameIsRetired) {
  given(definitions() + Events{preset_defined("small", "cpu", kUnit)})
      .when(remove("preset", "small"))
      .then({definition_removed("preset", "small")})
      .when(define({preset_defined("small", "cpu", kUnit)}))
      .then_refused("name-retired");
  given(definitions())
      .when(remove("image", "python:3.11"))
      .then({definition_removed("image", "python:3.11")})
      .when(define({image_registered("python:3.11")}))
      .then_refused("name-retired");
  given(definitions())
      .when(remove("group", "default"))
      .then({definition_removed("group", "default")})
      .when(define({group_defined("default")}))
      .then_refused("name-retired");
}

TEST(Remove, AGroupIsInUseByItsAgentsAndSessions) {
  Case agents = given(world());
  agents.when(remove("group", "default")).then_refused("in-use");
  EXPECT_NE(agents.decided()[0].request_refused().message().find("agent a1"), std::string::npos);
  Case sessions = given(definitions() + Events{session_requested("s1")});
  sessions.when(remove("group", "default")).then_refused("in-use");
  EXPECT_NE(sessions.decided()[0].request_refused().message().find("session s1"), std::string::npos);
}

TEST(Remove, AnImageIsInUseByLiveSessionsAlone) {
  const v1::SessionSpec spec = Spec().image("python:3.11");
  given(definitions() + Events{session_requested("s1", spec)})
      .when(remove("image", "python:3.11"))
      .then_refused("in-use");
  given(definitions() + Events{session_requested("s1", spec), session_cancelled("s1")})
      .when(remove("image", "python:3.11"))
      .then({definition_removed("image", "python:3.11")});
}

TEST(Remove, ARefusalNamesAFewOfManyUsers) {
  Case c = given(definitions());
  for (int i = 1; i <= 8; ++i) c.and_given({session_requested("s" + std::to_string(i))});
  c.when(remove("group", "default")).then_refused("in-use");
  EXPECT_NE(c.decided()[0].request_refused().message().find("session s5 and 3 more"), std::string::npos)
      << c.decided()[0].request_refused().message();
}

TEST(Remove, AnAgentIsRemovedOnceItIsDeadAndEmpty) {
  given(world()).when(remove("agent", "a1")).then_refused("in-use");
  given(world() + Events{session_requested("s1"), session_scheduled("s1", "a1"), agent_lost("a1")})
      .when(remove("agent", "a1"))
      .then_refused("in-use");
  given(world() + Events{agent_left("a1")})
      .when(remove("agent", "a1"))
      .then({agent_removed("a1")})
      .when(enroll_agent("a1"))
      .then_refused("name-retired");
}

TEST(Remove, WhatDoesNotExistIsRefused) {
  for (const char* kind : {"group", "image", "preset", "agent"})
    given(world()).when(remove(kind, "nobody")).then_refused("unknown-" + std::string(kind));
  given(world()).when(remove("planet", "nobody")).then_refused("unknown-kind");
}

}  // namespace
}  // namespace berth::testing::decisions
