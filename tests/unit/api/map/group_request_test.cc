// POST /v1/groups: what is said of preemption, and that what is shown can be sent back as it is (the CLI
// does).
#include <gtest/gtest.h>

#include "controller/api/map/define_request.h"
#include "controller/api/map/definition_json.h"
#include "controller/api/map/json_reader.h"

namespace berth::controller::api {
namespace {

v1::ResourceGroupDefined read_group_text(const std::string& text) {
  Errors errors;
  const auto group = read_group(*parse_body(text), SlotKinds(), errors);
  EXPECT_TRUE(errors.empty()) << text;
  return group;
}

TEST(GroupRequest, SaysNothingOfPreemptionWhereTheBodyDoesNot) {
  EXPECT_FALSE(read_group_text(R"({"name": "g"})").has_preemption());
  EXPECT_FALSE(read_group_text(R"({"name": "g", "preemption": null})").has_preemption());
}

TEST(GroupRequest, FillsInWhatIsNotSaidOfPreemption) {
  const v1::Preemption preemption =
      read_group_text(R"({"name": "g", "preemption": {"enabled": true, "min_runtime": "30m"}})").preemption();
  EXPECT_TRUE(preemption.enabled());
  EXPECT_EQ(preemption.order() + " " + preemption.mode() + " " + preemption.scope(), "oldest terminate user");
  EXPECT_EQ(preemption.min_runtime_ms(), 1'800'000);
}

TEST(GroupRequest, ReadsSetsOfExclusiveSlots) {
  const auto group = read_group_text(R"({"name": "g", "exclusive_slots": [["a", "b"], ["c", "d", "e"]]})");
  ASSERT_EQ(group.exclusive_size(), 2);
  EXPECT_EQ(group.exclusive(1).slots_size(), 3);
  Errors errors;
  read_group(*parse_body(R"({"name": "g", "exclusive_slots": ["a"]})"), SlotKinds(), errors);
  EXPECT_FALSE(errors.empty());
}

TEST(GroupRequest, S3_ReadsTheBoundOnWhatAKernelWrites) {
  EXPECT_EQ(read_group_text(R"({"name": "g", "disk": "10g"})").disk(), 10ll << 30);
  EXPECT_EQ(read_group_text(R"({"name": "g", "disk": null})").disk(), 0);
}

TEST(GroupRequest, WhatIsShownCanBeSentBack) {
  for (
      const char* text :
      {R"({"name": "g", "exclusive_slots": [["a", "b"]]})", R"({"name": "g", "shm": "1g", "disk": "10g"})",
       R"({"name": "g", "preemption": {"enabled": true, "order": "newest", "mode": "reschedule", "scope": "project",
                           "min_runtime": "90s"}})"}) {
    const auto shown = group_to_json(SlotKinds(), read_group_text(text));
    EXPECT_EQ(group_to_json(SlotKinds(), read_group_text(boost::json::serialize(shown))), shown);
  }
}

}  // namespace
}  // namespace berth::controller::api
