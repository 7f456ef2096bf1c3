// What groups that select by fragmentation are asked for, counted, and what they learned.
#include "projections/tables/request_mix_table.h"

#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

Events balanced_cluster() {
  v1::Event group = group_defined("default");
  group.mutable_resource_group_defined()->set_select("balanced");
  return definitions() + Events{group} + agent("a1");
}

std::int64_t counted(const Given& g, std::int32_t cpu_milli, std::int32_t gpus, std::int32_t gpu_milli) {
  const auto* row = g.state().class_counts.find(
      projections::ClassCountRow{"default", {cpu_milli, gpus, gpu_milli}, 0}.key());
  return row == nullptr ? 0 : row->count;
}

const projections::MixRow& mix(const Given& g) { return *g.state().mixes.find("default"); }

v1::Event selection_learned(const std::string& group) {
  v1::Event e;
  e.mutable_selection_learned()->set_group(group);
  for (const std::int64_t number : {100, 50, 50, 50, 70, 20})
    e.mutable_selection_learned()->add_shape(number);
  auto* one = e.mutable_selection_learned()->add_classes();
  one->set_cpu_milli(1000);
  one->set_count(3);
  return e;
}

TEST(RequestMix, CountsKernelsByClassAndSessions) {
  Given g =
      given(balanced_cluster() + Events{session_requested("s1", Spec().cpu(2)),
                                        session_requested("s2", Spec().cpu(2).shares(kUnit / 2)),
                                        session_requested("s3", Spec().cpu(2).shares(kUnit / 2).kernels(3)),
                                        session_requested("s4", Spec().cpu(2).devices(2))});
  EXPECT_EQ(counted(g, 2000, 0, 0), 1);
  EXPECT_EQ(counted(g, 2000, 1, 500), 4);
  EXPECT_EQ(counted(g, 2000, 2, 1000), 1);
  EXPECT_EQ(mix(g).counted, 6);
  EXPECT_EQ(mix(g).sessions, 4);
}

TEST(RequestMix, WhatAKernelMayWriteIsNoDeviceOfItsClass) {
  const Events asked =
      balanced_cluster() + Events{slot_type_registered("disk", SlotKind::kBytes),
                                  session_requested("s1", Spec().cpu(2).slot("disk", kGiga))};
  EXPECT_EQ(counted(given(asked), 2000, 0, 0), 1);
}

TEST(RequestMix, OtherGroupsAreNotCounted) {
  Given g = given(definitions() + agent("a1") + Events{session_requested("s1")});
  EXPECT_EQ(g.state().class_counts.size() + g.state().mixes.size(), 0u);
}

TEST(RequestMix, OfSeveralSlotsTheFirstOfTheGroupsPriorityCounts) {
  v1::ResourceGroupDefined group;
  v1::RoleSpec role;
  for (const char* slot : {"cuda.shares", "rocm.device", "mem"}) {
    role.add_slots()->set_slot(slot);
    role.mutable_slots(role.slots_size() - 1)->set_amount(slot[0] == 'c' ? kUnit / 4 : 3 * kUnit);
  }
  EXPECT_EQ(projections::class_of(group, role).gpu_milli, 250);  // by name
  group.add_slot_priority("rocm");
  EXPECT_EQ(projections::class_of(group, role).gpus, 3);
}

TEST(RequestMix, AtTheBoundEveryCountIsHalvedAndWhatIsLeftOfNoneIsDropped) {
  Given g = given(balanced_cluster() + Events{session_requested("s1", Spec().cpu(1))});
  for (int i = 0; i < 100; ++i)
    g.and_given({session_requested("k" + std::to_string(i), Spec().cpu(2).kernels(i == 0 ? 99 : 100))});
  EXPECT_EQ(mix(g).counted, 10'000);
  g.and_given({session_requested("last", Spec().cpu(2))});  // 10,001: halved
  EXPECT_EQ(counted(g, 1000, 0, 0), 0);
  EXPECT_EQ(counted(g, 2000, 0, 0), 5'000);
  EXPECT_EQ(mix(g).counted, 5'000);
  EXPECT_EQ(mix(g).sessions, 102);
}

TEST(RequestMix, WhatWasLearnedIsARowWithItsTimeAndTheCountBeginsAnew) {
  Given g = given(balanced_cluster() + Events{session_requested("s1"), session_requested("s2")});
  const Timestamp time = g.journal().time();
  g.and_given({selection_learned("default"), session_requested("s3")});
  const auto* row = g.state().learned.find("default");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->at, time);
  EXPECT_EQ(row->learned.shape(4), 70);
  EXPECT_EQ(mix(g).sessions, 1);
  EXPECT_EQ(mix(g).counted, 3);
}

TEST(RequestMix, WhatCannotHaveBeenLearnedIsForbidden) {
  given(balanced_cluster()).when({selection_learned("nowhere")}).then_forbidden("no resource group");
  v1::Event e = selection_learned("default");
  e.mutable_selection_learned()->add_shape(1);
  given(balanced_cluster()).when({e}).then_forbidden("six numbers");
  e = selection_learned("default");
  e.mutable_selection_learned()->mutable_classes(0)->set_count(0);
  given(balanced_cluster()).when({e}).then_forbidden("a class out of range");
}

TEST(RequestMix, AForbiddenRecordCountsNothing) {
  Given g = given(balanced_cluster());
  g.when({session_requested("s1"), kernel_running("nobody")}).then_void("event 1");
  EXPECT_EQ(g.state().class_counts.size() + g.state().mixes.size(), 0u);
}

}  // namespace
}  // namespace berth::testing
