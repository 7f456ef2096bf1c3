// Batch sessions that depend on batch sessions (tests/BEHAVIOURS.md V1..V4).
#include <gtest/gtest.h>

#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::testing {
namespace {

v1::SessionSpec after(const std::vector<std::string>& names) {
  v1::SessionSpec spec = Spec().batch();
  for (const auto& name : names) spec.add_depends_on(wire(name));
  return spec;
}

Events done(const std::string& session, std::int32_t exit_code) {
  return running(session, "a1", Spec().batch()) +
         Events{kernel_terminated(kernel_name(session), v1::EXITED, exit_code)};
}

std::size_t unmet(const Given& g, const std::string& session) { return g.session(session).unmet.size(); }

TEST(Dependencies, V1_NoneIsNothingToWaitFor) {
  Given g = given(definitions() + Events{session_requested("s1", Spec().batch())});
  EXPECT_EQ(unmet(g, "s1"), 0u);
}

TEST(Dependencies, V2_SuccessBeforeOrAfterItWasAskedForCounts) {
  Given g = given(definitions() + agent("a1") + done("d1", 0) + running("d2", "a1", Spec().batch()) +
                  Events{session_requested("s1", after({"d1", "d2"}))});
  EXPECT_EQ(unmet(g, "s1"), 1u);
  g.and_given({kernel_terminated(kernel_name("d2"))});
  EXPECT_EQ(unmet(g, "s1"), 0u);
  EXPECT_TRUE(g.state().dependents(session_id("d2")).empty());
}

TEST(Dependencies, V3_ARunningOneIsUnmet) {
  Given g = given(definitions() + agent("a1") + running("d1", "a1", Spec().batch()) +
                  Events{session_requested("s1", after({"d1"}))});
  EXPECT_EQ(unmet(g, "s1"), 1u);
  EXPECT_EQ(g.state().dependents(session_id("d1")).count(session_id("s1")), 1u);
}

TEST(Dependencies, V4_AFailedOneStaysUnmetAlsoWhenItHasLeftTheState) {
  Given g =
      given(definitions() + agent("a1") + done("d1", 3) + Events{session_requested("s1", after({"d1"}))});
  EXPECT_EQ(unmet(g, "s1"), 1u);
  g.after(kHour).and_given({clock_confirmed()});
  EXPECT_FALSE(g.has_session("d1"));
  EXPECT_EQ(unmet(g, "s1"), 1u);
}

TEST(Dependencies, SuccessCountsAlsoWhenItHasLeftTheState) {
  Given g = given(definitions() + agent("a1") + running("d1", "a1", Spec().batch()) +
                  running("d2", "a1", Spec().batch()) +
                  Events{session_requested("s1", after({"d1", "d2"})), kernel_terminated(kernel_name("d1"))});
  g.after(kHour).and_given({clock_confirmed()});
  EXPECT_FALSE(g.has_session("d1"));
  EXPECT_EQ(unmet(g, "s1"), 1u);
}

}  // namespace
}  // namespace berth::testing
