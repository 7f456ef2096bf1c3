// The second net by rules (P7, P15): what an epoch of rules 1 to 3 refused for ever, and what none may do.
#include <gtest/gtest.h>

#include "projections/tables/session_bounds.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::testing {
namespace {

v1::SessionSpec bent(void (*bend)(v1::SessionSpec&), Spec spec = Spec()) {
  v1::SessionSpec out = spec;
  bend(out);
  return out;
}

Events history() {
  v1::Event group = group_defined("default");
  auto* set = group.mutable_resource_group_defined()->add_exclusive();
  set->add_slots("cuda.device");
  set->add_slots("cuda.shares");
  return definitions() + Events{group, session_requested("s1"), Limit("user", "bob").pending(0)};
}

// Business rules: decide's alone since rules 4.
struct Asked {
  const char* reason;
  v1::SessionSpec spec;
  std::string name = "s2";
  std::string user = "alice";
};

std::vector<Asked> against_business_rules() {
  v1::SessionSpec on_interactive = Spec().batch();
  on_interactive.add_depends_on(wire("s1"));
  return {
      {"no multiple", Spec().shares(555'555)},
      {"limit-exceeded", Spec(), "s2", "bob"},
      {"invalid-name", Spec(), "-x"},
      {"no owner", Spec(), "s2", ""},
      {"cpu and mem", Spec().slot("cpu", 0)},
      {"shm must be smaller", bent([](v1::SessionSpec& s) { s.set_shm(kGiga); })},
      {"exclusive-slots", Spec().slot("cuda.device", kUnit).slot("cuda.shares", kUnit)},
      {"needs a command", bent([](v1::SessionSpec& s) { s.set_type(v1::BATCH); })},
      {"job priority", Spec().job_priority(5'000)},
      {"not-for-this-type", on_interactive},
      {"designated agents", bent([](v1::SessionSpec& s) {
         for (int i = 0; i < 65; ++i) s.add_agents("a");
       })},
  };
}

TEST(Net, BusinessRulesAreOfTheNetUntilRules3AndNotSince) {
  for (const Asked& asked : against_business_rules()) {
    const v1::Event event = session_requested(asked.name, asked.spec, asked.user);
    for (const std::uint32_t rules : {1u, 3u})
      given(definitions(), rules).and_given(history()).when({event}).then_forbidden(asked.reason);
    Given now = given(history(), 4);
    now.when({event}).then_applied();
    EXPECT_TRUE(now.has_session(asked.name)) << asked.reason;
  }
}

TEST(Net, LimitsThatNobodyWouldSetFoldSinceRules4) {
  const Limit nowhere("project", "no-domain");
  given(definitions(), 3).when({nowhere}).then_forbidden("named with its domain");
  given(definitions(), 4).when({nowhere}).then_applied();
}

// Transitions, identity, references and ranges: by all rules.
TEST(Net, WhatNoRequestMayDoByAnyRules) {
  const std::vector<Asked> all = {
      {"live session named", Spec(), "s1"},
      {"group", Spec().group("gpu")},
      {"image", Spec().image("python:9")},
      {"npu", Spec().slot("npu", kUnit)},
      {"cpu", Spec().slot("cpu", -1)},
      {"cpu", Spec().slot("cpu", kAmountMax + 1)},
      {"twice", bent([](v1::SessionSpec& s) { *s.mutable_roles(0)->add_slots() = s.roles(0).slots(0); })},
      {"shm", bent([](v1::SessionSpec& s) { s.set_shm(-1); })},
      {"a time", bent([](v1::SessionSpec& s) { s.set_pending_timeout_ms(-1); })},
      {"type", bent([](v1::SessionSpec& s) { s.set_type(v1::SESSION_TYPE_UNSPECIFIED); })},
      {"main", bent([](v1::SessionSpec& s) { s.clear_roles(); })},
      {"main", bent([](v1::SessionSpec& s) { s.mutable_roles(0)->set_role("sub"); })},
      {"kernel", bent([](v1::SessionSpec& s) { s.mutable_roles(0)->set_count(0); })},
      {"kernels", Spec().kernels(257)},
      {"rule", Spec().session_group("web", v1::SESSION_GROUP_RULE_UNSPECIFIED)},
      {"depend", bent([](v1::SessionSpec& s) { s.add_depends_on(wire("nobody")); }, Spec().batch())},
      {"depend", bent([](v1::SessionSpec& s) { s.add_depends_on(wire("s2")); }, Spec().batch())},
  };
  for (const std::uint32_t rules : {3u, 4u})
    for (const Asked& asked : all) {
      v1::Event event = session_requested("s2", asked.spec, asked.user);
      event.mutable_session_requested()->set_name(asked.name);
      given(history(), rules).when({event}).then_forbidden(asked.reason);
    }
  for (const std::uint32_t rules : {3u, 4u})
    given(history(), rules).when({session_requested("s1", Spec(), "bob")}).then_forbidden("in use");
}

TEST(Net, WhatNoLimitMayDoByAnyRules) {
  for (const std::uint32_t rules : {3u, 4u}) {
    given(definitions(), rules).when({Limit("moon", "alice").sessions(0)}).then_forbidden("scope");
    given(definitions(), rules).when({Limit("user", "alice").slot("rocks", 1)}).then_forbidden("slot type");
    given(definitions(), rules).when({Limit("user", "alice").slot("cpu", -1)}).then_forbidden("cpu");
    given(definitions(), rules).when({Limit("user", "alice").sessions(-1)}).then_forbidden("a count");
  }
}

TEST(Net, SinceRules4ASpecIsInRangeWhereItsSumsWouldOverflow) {
  const v1::SessionSpec wraps = Spec().kernels(1u << 31).count_of("sub", (1u << 31) + 1);
  v1::SessionSpec never = Spec();
  never.set_start_time_ms(projections::kSpecTimeMaxMs + 1);
  const v1::SessionSpec roles = bent([](v1::SessionSpec& s) { *s.add_roles() = s.roles(0); });
  const v1::SessionSpec mode = bent([](v1::SessionSpec& s) { s.set_mode(static_cast<v1::ClusterMode>(7)); });
  const v1::SessionSpec rule =
      bent([](v1::SessionSpec& s) { s.set_agent_rule(static_cast<v1::AgentRule>(7)); });
  for (const v1::SessionSpec& spec : {wraps, never, roles, mode, rule}) {
    given(history(), 3).when({session_requested("s2", spec)}).then_applied();
    given(history(), 4).when({session_requested("s2", spec)}).then_forbidden("");
  }
}

TEST(Net, SinceRules4EachKernelIsPlacedOnce) {
  Events two = definitions() + agent("a1") + Events{session_requested("s1", Spec().kernels(2))};
  v1::Event twice = session_scheduled("s1", {{"a1"}, {"a1", {}, "main", 2}});
  twice.mutable_session_scheduled()->mutable_placements(1)->set_index(1);
  given(two, 3).when({twice}).then_applied();
  given(two, 4).when({twice}).then_forbidden("two places");
}

TEST(Net, SinceRules4SharesAreOfWhatWasAskedFor) {
  const Events plain = definitions() + agent("a1") + Events{session_requested("s1")};
  const v1::Event given_away = session_scheduled("s1", {{"a1", {{"gpu0", kUnit / 2}}}});
  given(plain, 3).when({given_away}).then_applied();
  given(plain, 4).when({given_away}).then_forbidden("not asked for");
  const Events half = definitions() + agent("a1") + Events{session_requested("s1", Spec().shares(kUnit / 2))};
  for (const Amount amount : {kUnit, Amount{0}, Amount{INT64_MIN}})
    given(half, 4).when({session_scheduled("s1", {{"a1", {{"gpu0", amount}}}})}).then_forbidden("a share of");
  given(half, 4).when({session_scheduled("s1", {{"a1", {{"gpu0", kUnit / 2}}}})}).then_applied();
}

// A newer agent may know ends that this build does not.
TEST(Net, P8_AnEndIsAFactWhateverItsKind) {
  const Events run = definitions() + agent("a1") + running("s1", "a1");
  const v1::Event end = kernel_terminated(kernel_name("s1"), static_cast<v1::KernelEnd>(99));
  for (const std::uint32_t rules : {3u, 4u}) given(run, rules).when({end}).then_applied();
}

TEST(Net, SinceRules4AnInputStreamIsOneThatExists) {
  const v1::Event rewound = input_rewound(v1::INPUT_STREAM_UNSPECIFIED, 0, 0);
  given({}, 3).when({rewound}).then_applied();
  given({}, 4).when({rewound}).then_forbidden("an input stream");
}

TEST(Net, AnEpochOfOlderRulesFoldsAsItDidBeforeANewerOneBegins) {
  Given g = given(history(), 3);
  g.when({session_requested("s2", Spec().shares(555'555))}).then_forbidden("no multiple");
  g.journal().raise_rules(4);
  g.when_elected().then_applied();
  g.when({session_requested("s2", Spec().shares(555'555))}).then_applied();
}

}  // namespace
}  // namespace berth::testing
