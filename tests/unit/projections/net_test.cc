// The second net (P7): what no record may do, and what is decide's alone.
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

// Business rules are decide's alone.
struct Asked {
  const char* rule;  // of decide, or what the net says
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

TEST(Net, HoldsNoBusinessRule) {
  for (const Asked& asked : against_business_rules()) {
    Given g = given(history());
    g.when({session_requested(asked.name, asked.spec, asked.user)}).then_applied();
    EXPECT_TRUE(g.has_session(asked.name)) << asked.rule;
  }
  given(definitions()).when({Limit("project", "no-domain")}).then_applied();
}

// Transitions, identity, references and ranges.
TEST(Net, WhatNoRequestMayDo) {
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
  for (const Asked& asked : all) {
    v1::Event event = session_requested("s2", asked.spec, asked.user);
    event.mutable_session_requested()->set_name(asked.name);
    given(history()).when({event}).then_forbidden(asked.rule);
  }
  given(history()).when({session_requested("s1", Spec(), "bob")}).then_forbidden("in use");
}

TEST(Net, WhatNoLimitMayDo) {
  given(definitions()).when({Limit("moon", "alice").sessions(0)}).then_forbidden("scope");
  given(definitions()).when({Limit("user", "alice").slot("rocks", 1)}).then_forbidden("slot type");
  given(definitions()).when({Limit("user", "alice").slot("cpu", -1)}).then_forbidden("cpu");
  given(definitions()).when({Limit("user", "alice").sessions(-1)}).then_forbidden("a count");
}

TEST(Net, ASpecIsInRangeWhereItsSumsWouldOverflow) {
  const v1::SessionSpec wraps = Spec().kernels(1u << 31).count_of("sub", (1u << 31) + 1);
  v1::SessionSpec never = Spec();
  never.set_start_time_ms(projections::kSpecTimeMaxMs + 1);
  const v1::SessionSpec roles = bent([](v1::SessionSpec& s) { *s.add_roles() = s.roles(0); });
  const v1::SessionSpec mode = bent([](v1::SessionSpec& s) { s.set_mode(static_cast<v1::ClusterMode>(7)); });
  const v1::SessionSpec rule =
      bent([](v1::SessionSpec& s) { s.set_agent_rule(static_cast<v1::AgentRule>(7)); });
  for (const v1::SessionSpec& spec : {wraps, never, roles, mode, rule})
    given(history()).when({session_requested("s2", spec)}).then_forbidden("");
}

TEST(Net, EachKernelIsPlacedOnce) {
  Events two = definitions() + agent("a1") + Events{session_requested("s1", Spec().kernels(2))};
  v1::Event twice = session_scheduled("s1", {{"a1"}, {"a1", {}, "main", 2}});
  twice.mutable_session_scheduled()->mutable_placements(1)->set_index(1);
  given(two).when({twice}).then_forbidden("two places");
}

TEST(Net, SharesAreOfWhatWasAskedFor) {
  const Events plain = definitions() + agent("a1") + Events{session_requested("s1")};
  const v1::Event given_away = session_scheduled("s1", {{"a1", {{"gpu0", kUnit / 2}}}});
  given(plain).when({given_away}).then_forbidden("not asked for");
  const Events half = definitions() + agent("a1") + Events{session_requested("s1", Spec().shares(kUnit / 2))};
  for (const Amount amount : {kUnit, Amount{0}, Amount{INT64_MIN}})
    given(half).when({session_scheduled("s1", {{"a1", {{"gpu0", amount}}}})}).then_forbidden("a share of");
  given(half).when({session_scheduled("s1", {{"a1", {{"gpu0", kUnit / 2}}}})}).then_applied();
}

// A newer agent may know ends that this build does not.
TEST(Net, P8_AnEndIsAFactWhateverItsKind) {
  const Events run = definitions() + agent("a1") + running("s1", "a1");
  const v1::Event end = kernel_terminated(kernel_name("s1"), static_cast<v1::KernelEnd>(99));
  given(run).when({end}).then_applied();
}

TEST(Net, AnInputStreamIsOneThatExists) {
  const v1::Event rewound = input_rewound(v1::INPUT_STREAM_UNSPECIFIED, 0, 0);
  given({}).when({rewound}).then_forbidden("an input stream");
}

}  // namespace
}  // namespace berth::testing
