// GET /v1/decisions/{position}: a past placement, worked out again.
#include <gtest/gtest.h>

#include "tests/support/placed_by_pass.h"
#include "tests/support/spec.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

struct Placed {
  ApiRig rig;
  Offset at = 0;
  Placed() {
    rig.cell.append({session_requested("demo"), session_requested("other", Spec(), "bob")});
    rig.cell.append({placement_of("demo", "a1")});
    at = rig.cell.position();
    rig.cell.append({session_requested("third")});
  }
  // By a pass that began with this record.
  v1::Event placement_of(const std::string& session, const std::string& agent) {
    projections::Position pass;
    rig.cell.with_state([&](const controller::StateView& view) {
      pass = {view.state.epoch().epoch, view.state.epoch().sequence + 1, 0};
    });
    return placed_by_pass(session, agent, pass);
  }
  static std::string target(Offset position) { return "/v1/decisions/" + std::to_string(position); }
};

TEST(Decision, ShowsHowAPlacementCameAbout) {
  Placed placed;
  const auto decision = placed.rig.get(Placed::target(placed.at));
  EXPECT_EQ(decision.at("position").as_string(), std::to_string(placed.at) + "-0");
  EXPECT_EQ(decision.at("name").as_string(), "demo");
  EXPECT_TRUE(decision.at("equal").as_bool()) << json::serialize(decision);
  EXPECT_EQ(decision.at("places"), decision.at("record"));
  EXPECT_EQ(decision.at("places").at(0).at("agent").as_string(), "a1");
  ASSERT_EQ(decision.at("queue").as_array().size(), 2u);
  EXPECT_EQ(decision.at("queue").at(0).at("name").as_string(), "demo");
  EXPECT_EQ(decision.at("queue").at(0).at("outcome").as_string(), "placed");
  EXPECT_EQ(decision.at("queue").at(0).at("asked").to_number<int>(), 1);
  ASSERT_EQ(decision.at("searches").as_array().size(), 1u);
  const auto& search = decision.at("searches").at(0);
  EXPECT_EQ(search.at("remaining").at(0).at("agent").as_string(), "a1");
  EXPECT_EQ(placed.rig.get(Placed::target(placed.at) + "-0"), decision);
}

TEST(Decision, OneThatComesOutOtherwiseIsToldSo) {
  Placed placed;
  v1::Event event = placed.placement_of("third", "a1");
  event.mutable_session_scheduled()->set_turn(7);  // which no pass of this group gives
  placed.rig.cell.append({event});
  EXPECT_FALSE(placed.rig.get(Placed::target(placed.rig.cell.position())).at("equal").as_bool());
}

TEST(Decision, WhatIsNoPlacementIsRefusedByName) {
  Placed placed;
  EXPECT_EQ(placed.rig.code(Placed::target(placed.at + 1)), "no-decision");
  EXPECT_EQ(placed.rig.code(Placed::target(placed.at) + "-1"), "no-decision");
  EXPECT_EQ(placed.rig.code(Placed::target(placed.at) + "-4294967296"), "invalid-moment") << "2^32 is not 0";
  EXPECT_EQ(placed.rig.code(Placed::target(placed.at + 100)), "future-moment");
  EXPECT_EQ(placed.rig.code("/v1/decisions/x"), "invalid-moment");
  EXPECT_EQ(placed.rig.code("/v1/decisions/2026-01-31T18:00:00Z"), "invalid-moment");
  EXPECT_EQ(placed.rig.code(Placed::target(placed.at) + "?at=3"), "no-past");
}

TEST(Decision, OfAnOlderRecordTheInputsAreNotThere) {
  Placed placed;
  placed.rig.cell.append({session_scheduled("other", "a1")});
  EXPECT_EQ(placed.rig.code(Placed::target(placed.rig.cell.position())), "inputs-not-recorded");
}

TEST(Decision, IsForWhoMaySeeTheSessionAndNamesNoOtherOne) {
  Placed placed;
  EXPECT_EQ(placed.rig.code(Placed::target(placed.at), "bob-key"), "no-decision");
  const auto own = placed.rig.get(Placed::target(placed.at), "alice-key");
  ASSERT_EQ(own.at("queue").as_array().size(), 2u);
  EXPECT_TRUE(own.at("queue").at(1).at("session").is_null());
  EXPECT_TRUE(own.at("queue").at(1).at("name").is_null());
  EXPECT_TRUE(own.at("queue").at(1).at("user").is_null());
}

}  // namespace
}  // namespace berth::testing
