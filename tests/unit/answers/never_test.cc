// What no agent could ever hold is told as such: where it is asked for, in a dry run, and to whom waits.
#include <gtest/gtest.h>

#include "controller/answers/answers.h"
#include "controller/answers/rooms.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

v1::Event group_that(const std::string& impossible) {
  v1::Event group = group_defined("default");
  group.mutable_resource_group_defined()->set_impossible(impossible);
  return group;
}

struct NeverTest : ::testing::Test {
  NeverTest() { given_.projection().set_listener(this); }
  ~NeverTest() override { given_.projection().set_listener(nullptr); }

  template <class Row>
  requires requires(Answers& answers, const Row* row) { answers.on_row(row, row); }
  void on_row(const Row* before, const Row* after) {
    answers_.on_row(before, after);
    if constexpr (requires { rooms_.on_row(before, after); }) rooms_.on_row(before, after);
  }

  DryRunAnswer dry_run(const v1::SessionSpec& spec) {
    v1::Request request;
    request.set_id(std::string(16, 'r'));
    request.set_actor("user:alice");
    *request.mutable_owner() = owner("alice");
    request.mutable_request_session()->set_name("new");
    request.mutable_request_session()->set_count(1);
    *request.mutable_request_session()->mutable_spec() = spec;
    static const InHistory kNoPast;
    return answers_.dry_run(given_.state(), given_.journal().time(), request, kNoPast, kAnybody);
  }
  std::string warning(const v1::SessionSpec& spec) { return rooms_.warning(given_.state(), spec); }

  const SeesSession kAnybody = [](const projections::SessionRow&) { return true; };
  Given given_{definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 2, 8 * kGiga)}};
  Answers answers_;
  Rooms rooms_;
};

TEST_F(NeverTest, ADryRunSaysSoAndBlamesTheSlotWithTheMostThatThereIs) {
  given_.and_given({group_that("skip")});
  const DryRunAnswer answer = dry_run(Spec().cpu(64));
  ASSERT_TRUE(answer.why);
  EXPECT_EQ(answer.sessions.at(0).starts, false);
  EXPECT_EQ(answer.why->code, "never");
  EXPECT_EQ(answer.why->slot, "cpu");
  EXPECT_EQ(answer.why->text, "no agent can ever hold 64 cpu: the largest has 2 (agent a1)");
  EXPECT_EQ(answer.why->hint, "a larger agent joins the group; or ask for less");
  EXPECT_EQ(answer.why->start->percentiles.at(0).none, "never");
  EXPECT_EQ(
      answer.warnings,
      std::vector<std::string>{"no agent can ever hold 64 cpu: the largest has 2 (agent a1); it waits until "
                               "a larger agent joins the group; or ask for less"});
}

TEST_F(NeverTest, AGroupThatDoesNotSkipItWarnsOfThoseBehindIt) {
  const DryRunAnswer answer = dry_run(Spec().cpu(64));
  EXPECT_EQ(answer.why->code, "no-capacity");
  EXPECT_EQ(answer.why->text, "no agent can ever hold 64 cpu: the largest has 2 (agent a1)");
  EXPECT_EQ(answer.why->hint, "a larger agent joins the group; or ask for less");
  EXPECT_EQ(answer.why->start->percentiles.at(0).none, "never");
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_NE(answer.warnings[0].find("; it may block those behind it; "), std::string::npos)
      << answer.warnings[0];
}

TEST_F(NeverTest, WhatFitsAnEmptyAgentIsNoWarning) {
  given_.and_given(running("long", "a1", Spec().cpu(2)) + Events{agent_drain_changed("a1", true)});
  EXPECT_EQ(warning(Spec().cpu(2)), "");
  EXPECT_TRUE(dry_run(Spec().cpu(2)).warnings.empty());
  given_.and_given({agent_lost("a1")});
  EXPECT_EQ(warning(Spec().cpu(2)), "");
}

TEST_F(NeverTest, WhoAsksIsWarnedAndAgainOnceTheAgentsAreOthers) {
  given_.and_given({group_that("skip")});
  EXPECT_EQ(warning(Spec().cpu(4)).substr(0, 62),
            "no agent can ever hold 4 cpu: the largest has 2 (agent a1); it");
  given_.and_given({agent_enrolled("a2"), agent_joined("a2", 4, 8 * kGiga)});
  EXPECT_EQ(warning(Spec().cpu(4)), "");
  EXPECT_EQ(warning(Spec().cpu(8)).substr(0, 59),
            "no agent can ever hold 8 cpu: the largest has 4 (agent a2);");
}

TEST_F(NeverTest, KernelsThatCannotAllHaveRoomAndAgentsThatAreNotThereAreNamed) {
  given_.and_given({group_that("skip")});
  v1::SessionSpec gang = Spec().cpu(2).kernels(3);
  EXPECT_NE(warning(gang).find("no agent can ever hold 6 cpu: the largest has 2"), std::string::npos);
  gang.set_mode(v1::MULTI_NODE);
  EXPECT_NE(warning(gang).find("3 kernels with 6 cpu"), std::string::npos) << warning(gang);
  v1::SessionSpec elsewhere = Spec().cpu(1);
  elsewhere.add_agents("a9");
  EXPECT_NE(warning(elsewhere).find("is one that it is to run on"), std::string::npos) << warning(elsewhere);
  v1::SessionSpec arm = Spec().cpu(1);
  arm.set_architecture("aarch64");
  EXPECT_NE(warning(arm).find("none of the 1 agents of resource group default has architecture aarch64"),
            std::string::npos)
      << warning(arm);
}

}  // namespace
}  // namespace berth::controller
