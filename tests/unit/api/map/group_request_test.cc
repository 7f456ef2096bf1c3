// POST /v1/groups: what is said of preemption, and that what is shown can be sent back as it is (the CLI
// does).
#include <gtest/gtest.h>

#include "controller/api/map/check_presets.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/definition_json.h"
#include "controller/api/map/json_reader.h"

namespace berth::controller::api {
namespace {

SlotKinds group_kinds() {
  SlotKinds all;
  for (const char* slot : {"a", "b", "c", "d", "e", "cpu", "cuda.shares"}) all.add(slot, SlotKind::kCount);
  return all;
}

v1::ResourceGroupDefined read_group_text(const std::string& text) {
  Errors errors;
  const auto group = read_group(*parse_body(text), group_kinds(), errors);
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
  EXPECT_EQ(preemption.order() + " " + preemption.mode() + " " + word(preemption.scope()),
            "oldest terminate user");
  EXPECT_EQ(preemption.min_runtime_ms(), 1'800'000);
}

TEST(GroupRequest, ReadsSetsOfExclusiveSlots) {
  const auto group = read_group_text(R"({"name": "g", "exclusive_slots": [["a", "b"], ["c", "d", "e"]]})");
  ASSERT_EQ(group.exclusive_size(), 2);
  EXPECT_EQ(group.exclusive(1).slots_size(), 3);
  Errors errors;
  read_group(*parse_body(R"({"name": "g", "exclusive_slots": ["a"]})"), group_kinds(), errors);
  EXPECT_FALSE(errors.empty());
}

TEST(GroupRequest, S3_ReadsTheBoundOnWhatAKernelWrites) {
  EXPECT_EQ(read_group_text(R"({"name": "g", "disk": "10g"})").disk(), 10ll << 30);
  EXPECT_EQ(read_group_text(R"({"name": "g", "disk": null})").disk(), 0);
}

// The code and the place of what is wrong with a body.
template <class Read> std::string wrong(Read read, const std::string& text) {
  Errors errors;
  read(*parse_body(text), errors);
  if (errors.empty()) return "";
  const Problem problem = std::move(errors).take();
  EXPECT_NE(problem.hint, "") << text;
  return problem.code + " " + problem.errors.at(0).place;
}

TEST(GroupRequest, NamesTheFieldThatIsWrongAndWhatIsRight) {
  const auto read = [](const boost::json::object& body, Errors& errors) {
    read_group(body, group_kinds(), errors);
  };
  for (const auto& [members, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"("disk": "0")", "invalid-value disk"},
           {R"("disk": "65t")", "invalid-value disk"},
           {R"("shm": 0)", "invalid-value shm"},
           {R"("slot_priority": ["cpu", "cuda", "rocks"])", "unknown-slot slot_priority"},
           {R"("devices": {"rocks": {}})", "unknown-slot devices.rocks"},
           {R"("exclusive_slots": [["a", "rocks"]])", "unknown-slot exclusive_slots[0]"},
           {R"("fair_share": {"slot_weights": {"rocks": 1}})", "unknown-slot fair_share.slot_weights.rocks"},
           {R"("max_attempts": 0)", "invalid-value max_attempts"},
           {R"("order": 5)", "invalid-value order"},
           {R"("slot_priority": ["cpu", "cuda", "rocm"], "disk": "64t")", ""}})
    EXPECT_EQ(wrong(read, std::string(R"({"name": "g", )") + members + "}"), expected) << members;
}

TEST(ImageRequest, NamesTheFieldThatIsWrongAndWhatIsRight) {
  const auto read = [](const boost::json::object& body, Errors& errors) { read_image(body, errors); };
  for (const auto& [members, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"("source": "dir:/etc")", "invalid-value source"},
           {R"("source": "")", "invalid-value source"},
           {R"("source": "oci:/x:1", "digest": "latest")", "invalid-value digest"},
           {R"("source": "oci:/x:1", "labels": {"a": "\u001b[2J"})", "invalid-value labels.a"},
           {R"("source": "docker://h/x:1", "labels": {"a": "b"})", ""}})
    EXPECT_EQ(wrong(read, std::string(R"({"reference": "x:1", )") + members + "}"), expected) << members;
}

TEST(PresetRequest, AsksForMoreThanNothing) {
  const auto read = [](const boost::json::object& body, Errors& errors) {
    read_preset(body, group_kinds(), errors);
  };
  EXPECT_EQ(wrong(read, R"({"name": "p", "resources": {"cpu": "0"}})"), "invalid-amount resources.cpu");
}

TEST(GroupRequest, WhatIsShownCanBeSentBack) {
  for (
      const char* text :
      {R"({"name": "g", "exclusive_slots": [["a", "b"]]})",
       R"({"name": "g", "shm": "1g", "disk": "10g", "egress": "registries"})",
       R"({"name": "g", "preemption": {"enabled": true, "order": "newest", "mode": "reschedule", "scope": "project",
                           "min_runtime": "90s"}})"}) {
    const auto shown = group_to_json(group_kinds(), read_group_text(text));
    EXPECT_EQ(group_to_json(group_kinds(), read_group_text(boost::json::serialize(shown))), shown);
  }
}

}  // namespace
}  // namespace berth::controller::api
