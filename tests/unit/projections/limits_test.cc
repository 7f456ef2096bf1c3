// Limits against what is held: tests/BEHAVIOURS.md section 2 (V8..V20) and the counts of section 13. Amounts
// in whole cpus.
#include "projections/limits.h"

#include <gtest/gtest.h>

#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::testing {
namespace {

using projections::LimitExcess;

// A big agent, so that only limits matter.
Events big_agent() { return {agent_enrolled("a1"), agent_joined("a1", 2000, 4000 * kGiga)}; }

// "user:cpu 2+2/10 ..." of whatever keeps alice's next session from being placed.
std::string excess(const Events& history, const v1::SessionSpec& spec) {
  Given g = given(definitions() + big_agent() + history);
  const projections::SharedOwner alice{owner("alice"), {}, projections::scopes_of(owner("alice"))};
  std::string text;
  for (const LimitExcess& e : projections::excess_when_placed(g.state(), alice, spec)) {
    const Amount unit = e.is_count ? 1 : e.what == "mem" || e.what == "disk" ? kGiga : kUnit;
    text += (text.empty() ? "" : " ") + word(e.scope) + ":" + e.what + " " + std::to_string(e.used / unit) +
            "+" + std::to_string(e.asked / unit) + "/" + std::to_string(e.most / unit);
  }
  return text;
}

struct Row {
  const char* id;
  Events history;
  v1::SessionSpec asked;
  std::string expected;
};

TEST(Limits, WhatASessionMayBePlaced) {
  const auto user = [](Amount cpu) -> v1::Event { return Limit("user", "alice").slot("cpu", cpu * kUnit); };
  const auto domain = [](Amount cpu) -> v1::Event {
    return Limit("domain", "default").slot("cpu", cpu * kUnit);
  };
  const auto project = [](Amount cpu) -> v1::Event {
    return Limit("project", "default/default").slot("cpu", cpu * kUnit);
  };
  const Events seven = running("s1", "a1", Spec().cpu(7));
  const std::vector<Row> rows = {
      {"V8 below", Events{user(10)} + running("s1", "a1", Spec().cpu(2)), Spec().cpu(2), ""},
      {"V10 no policy at all", {}, Spec().cpu(1000), ""},
      {"V11 no occupancy", {user(10)}, Spec().cpu(10), ""},
      {"V12 3 of 5", Events{Limit("user", "alice").sessions(5)} + running("s1", "a1"), Spec(), ""},
      {"V12 1 of 1", Events{Limit("user", "alice").sessions(1)} + running("s1", "a1"), Spec(),
       "user:sessions 1+1/1"},
      {"V14 null", Events{Limit("user", "alice").slot_unlimited("cpu")} + seven, Spec().cpu(1000), ""},
      {"V14 zero sessions", {Limit("user", "alice").sessions(0)}, Spec(), "user:sessions 0+1/0"},
      {"V14 zero cpu", {user(0)}, Spec(), "user:cpu 0+1/0"},
      {"V15 over", Events{project(10)} + seven, Spec().cpu(4), "project:cpu 7+4/10"},
      {"V15 within", Events{project(10)} + seven, Spec().cpu(2), ""},
      {"V16 reserved and used",
       Events{domain(10)} + running("s1", "a1", Spec().cpu(4)) +
           Events{session_requested("s2", Spec().cpu(3)), session_scheduled("s2", "a1")},
       Spec().cpu(4), "domain:cpu 7+4/10"},
      {"V17 all scopes",
       {user(10), project(10), domain(10)},
       Spec().cpu(100),
       "domain:cpu 0+100/10 project:cpu 0+100/10 user:cpu 0+100/10"},
      {"V18 unlisted is 0",
       {Limit("user", "alice").slot("cpu", 10 * kUnit).nothing_else()},
       Spec().cpu(1),
       "user:mem 0+1/0"},
      {"disk is unlimited where it is not listed",
       {slot_type_registered("disk", SlotKind::kBytes),
        Limit("user", "alice").slot("cpu", 10 * kUnit).slot_unlimited("mem").nothing_else()},
       Spec().slot("disk", kGiga),
       ""},
      {"disk that is listed",
       {slot_type_registered("disk", SlotKind::kBytes), Limit("user", "alice").slot("disk", kGiga)},
       Spec().slot("disk", 2 * kGiga),
       "user:disk 0+2/1"},
      {"V18 listed as unlimited",
       {Limit("user", "alice").slot("cpu", 10 * kUnit).slot_unlimited("mem").nothing_else()},
       Spec(),
       ""},
      {"V18 listed, not asked for", {Limit("user", "alice").slot("cuda.shares", 0)}, Spec(), ""},
      {"V19 held 50 asks 10 of 100", Events{user(100)} + running("s1", "a1", Spec().cpu(50)), Spec().cpu(10),
       ""},
      {"V19 held 95 asks 10 of 100", Events{user(100)} + running("s1", "a1", Spec().cpu(95)), Spec().cpu(10),
       "user:cpu 95+10/100"},
      {"system sessions apart", Events{Limit("user", "alice").sessions(0).system_sessions(1)},
       [] {
         v1::SessionSpec spec = Spec();
         spec.set_type(v1::SYSTEM);
         return spec;
       }(),
       ""},
      {"a cluster counts whole", {user(10)}, Spec().cpu(4).count_of("sub", 2), "user:cpu 0+12/10"},
      {"others do not count",
       Events{user(10), session_requested("b1", Spec().cpu(9), "bob"), session_scheduled("b1", "a1")},
       Spec().cpu(9), ""},
  };
  for (const Row& row : rows) EXPECT_EQ(excess(row.history, row.asked), row.expected) << row.id;
}

TEST(Limits, HeldUntilTheConfirmedEndAndNotBefore) {
  const Events held =
      Events{Limit("user", "alice").slot("cpu", 2 * kUnit)} + running("s1", "a1", Spec().cpu(2));
  EXPECT_NE(excess(held + Events{session_terminating("s1", "user-requested", true)}, Spec()), "");
  EXPECT_EQ(excess(held + Events{session_terminating("s1"), kernel_terminated(kernel_name("s1"))}, Spec()),
            "");
}

TEST(Limits, ARemovedLimitBindsNobody) {
  EXPECT_EQ(excess({Limit("user", "alice").sessions(0), limit_removed("user", "alice")}, Spec()), "");
  given(definitions()).when({limit_removed("user", "alice")}).then_forbidden("there is no such limit");
}

// V20: a heading, then a line a reason.
TEST(Limits, V20_SeveralReasonsAreLines) {
  Given g = given(definitions() + big_agent() +
                  Events{Limit("user", "alice").slot("cpu", kUnit), Limit("domain", "default").sessions(0)});
  const projections::SharedOwner alice{owner("alice"), {}, projections::scopes_of(owner("alice"))};
  EXPECT_EQ(
      projections::limits_text(g.state(), projections::excess_when_placed(g.state(), alice, Spec().cpu(2))),
      "2 limits are in the way:\n- domain default: sessions 0 + 1 of 0\n- user alice: cpu 0 + 2 of 1");
}

// Section 13: containers, pending count, priority, pending resources.
TEST(Limits, WhatASessionIsOverWhenItIsAskedFor) {
  const auto over = [](const Limit& limit, const v1::SessionSpec& spec, std::uint32_t ahead = 0) {
    Given g = given(definitions() + Events{session_requested("s1", Spec().cpu(2)), limit});
    const projections::SharedOwner alice{owner("alice"), {}, projections::scopes_of(owner("alice"))};
    const auto excess = projections::excess_when_asked(g.state(), alice, spec, ahead);
    return excess.empty() ? std::string() : excess.front().what;
  };
  EXPECT_EQ(over(Limit("user", "alice").kernels_per_session(4), Spec().kernels(2)), "");
  EXPECT_EQ(over(Limit("user", "alice").kernels_per_session(2), Spec().kernels(3)), "containers");
  EXPECT_EQ(over(Limit("user", "alice").pending(2), Spec()), "");
  EXPECT_EQ(over(Limit("user", "alice").pending(1), Spec()), "pending");
  EXPECT_EQ(over(Limit("user", "alice").pending(2), Spec(), 1), "pending");
  EXPECT_EQ(over(Limit("user", "alice").priority(5), Spec().priority(5)), "");
  EXPECT_EQ(over(Limit("user", "alice").priority(10), Spec().priority(50)), "priority");
  EXPECT_EQ(over(Limit("user", "alice").pending_slot("cpu", 4 * kUnit), Spec().cpu(1)), "");
  EXPECT_EQ(over(Limit("user", "alice").pending_slot("cpu", 2 * kUnit), Spec().cpu(1)), "pending cpu");
  EXPECT_EQ(over(Limit("user", "alice").pending_slot("cpu", 4 * kUnit), Spec().mem(999 * kGiga)), "");
}

TEST(Limits, AbsurdAmountsDoNotOverflow) {
  const v1::SessionSpec absurd = Spec().slot("cpu", kAmountMax / kUnit * kUnit).kernels(256);
  Events history;
  for (int i = 0; i < 40; ++i) history.push_back(session_requested("s" + std::to_string(i), absurd));
  Given g = given(definitions() + history + Events{session_cancelled("s0")});
  EXPECT_GT(g.state().usage().find("user/alice").pending_slots.get("cpu"), 0);
  for (int i = 1; i < 40; ++i) g.and_given({session_cancelled("s" + std::to_string(i))});
  EXPECT_EQ(g.state().usage().find("user/alice").pending_slots.get("cpu"), 0);
}

}  // namespace
}  // namespace berth::testing
