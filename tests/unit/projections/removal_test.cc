// A definition or an agent is removed only when nothing live is made of it, and its name never comes back.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

Given free_world() {
  return given(definitions() + Events{group_defined("other"), preset_defined("small", "cpu", kUnit)});
}

TEST(Removal, ANameOnceRemovedIsNeverGivenAgain) {
  Given g = free_world();
  g.and_given({definition_removed("group", "other"), definition_removed("image", "python:3.11"),
               definition_removed("preset", "small")});
  EXPECT_EQ(g.state().groups.find("other"), nullptr);
  EXPECT_EQ(g.state().images.size(), 0u);
  EXPECT_EQ(g.state().presets.size(), 0u);
  g.when({group_defined("other")}).then_forbidden("never given again");
  Given h = free_world();
  h.and_given({definition_removed("preset", "small")});
  h.when({preset_defined("small", "cpu", kUnit)}).then_forbidden("never given again");
  Given i = free_world();
  i.and_given({definition_removed("image", "python:3.11")});
  i.when({image_registered("python:3.11")}).then_forbidden("never given again");
}

TEST(Removal, WhatIsNotThereCannotBeRemoved) {
  for (const char* kind : {"group", "image", "preset", "user", ""})
    free_world().when({definition_removed(kind, "nobody")}).then_forbidden("named 'nobody'");
  free_world().when({agent_removed("a9")}).then_forbidden("no agent is named a9");
}

TEST(Removal, AGroupWithAgentsOrLiveSessionsStays) {
  given(definitions() + agent("a1"))
      .when({definition_removed("group", "default")})
      .then_forbidden("has agents");
  Given g = given(definitions() + Events{session_requested("s1")});
  g.when({definition_removed("group", "default")}).then_forbidden("uses 'default'");
  Given ended = given(definitions() + Events{session_requested("s1"), session_cancelled("s1")});
  ended.and_given({definition_removed("group", "default")});
  EXPECT_EQ(ended.state().groups.size(), 0u);
}

TEST(Removal, AnImageOfALiveSessionStays) {
  Given g = given(definitions() + Events{session_requested("s1", Spec().image("python:3.11"))});
  g.when({definition_removed("image", "python:3.11")}).then_forbidden("uses 'python:3.11'");
}

TEST(Removal, AnAgentGoesOnceItIsDeadAndEmpty) {
  given(definitions() + agent("a1")).when({agent_removed("a1")}).then_forbidden("is alive");
  given(definitions() + agent("a1") +
        Events{session_requested("s1"), session_scheduled("s1", "a1"), agent_lost("a1")})
      .when({agent_removed("a1")})
      .then_forbidden("has kernels");
  Given g = given(definitions() + agent("a1") + Events{agent_lost("a1"), agent_removed("a1")});
  EXPECT_EQ(g.state().agents.size(), 0u);
  EXPECT_EQ(g.state().order_cursors.size(), 0u);
  EXPECT_EQ(g.state().group_slots("default").agents, 0u);
  g.when({agent_enrolled("a1", 7)}).then_forbidden("never given again");
}

}  // namespace
}  // namespace berth::testing
