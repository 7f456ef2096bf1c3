// The rulebook alone, also on specs that no request comes to: their defaults are filled in before
// (request_session_test.cc).
#include "controller/decide/admit_session.h"

#include <gtest/gtest.h>

#include "events/base/name.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

// Code of the refusal, or "" when the session is accepted; what is accepted must come through the fold's net.
std::string code(const v1::SessionSpec& spec, const std::string& name = "s2",
                 const std::string& user = "alice") {
  Given g = given(definitions() + Events{session_requested("s1")});
  const auto refusal = admit_session(g.state(), session_id(name), name, owner(user), spec);
  if (!refusal) {
    g.when({session_requested(name, spec, user)}).then_applied();
    return "";
  }
  EXPECT_FALSE(refusal->message.empty());
  return refusal->code.word();
}

v1::SessionSpec bent(void (*bend)(v1::SessionSpec&), Spec spec = Spec()) {
  v1::SessionSpec out = spec;
  bend(out);
  return out;
}

TEST(AdmitSession, AcceptsWhatMerelyDoesNotFitNow) {
  EXPECT_EQ(code(Spec()), "");
  EXPECT_EQ(code(Spec().cpu(100'000)), "");
  EXPECT_EQ(code(Spec().batch().kernels(256).shares(kUnit).image("python:3.11")), "");
}

// An agent of a group that is not open to the owner is as unknown as one that does not exist.
TEST(AdmitSession, AnAgentOfAClosedGroupIsUnknown) {
  v1::Event closed = group_defined("closed");
  auto* to = closed.mutable_resource_group_defined()->add_open_to();
  to->set_scope(v1::SCOPE_KIND_USER);
  to->set_id("bob");
  v1::Event joined = agent_joined("a2", 4, 8 * kGiga);
  joined.mutable_agent_joined()->set_group("closed");
  const Given g = given(definitions() + Events{closed, agent_enrolled("a2"), joined, agent_enrolled("never"),
                                               user_defined("bob")});
  const auto refusal = [&](const std::string& agent, const std::string& user) {
    v1::SessionSpec spec = Spec();
    spec.add_agents(agent);
    const auto found = admit_session(g.state(), session_id("s1"), "s1", owner(user), spec);
    return found ? found->code + ": " + found->message + found->hint : "";
  };
  EXPECT_EQ(refusal("a2", "alice"),
            refusal("a9", "alice").replace(refusal("a9", "alice").find("a9"), 2, "a2"));
  EXPECT_TRUE(refusal("a2", "alice").starts_with("unknown-agent: ")) << refusal("a2", "alice");
  EXPECT_TRUE(refusal("never", "alice").starts_with("unknown-agent: ")) << "it is of no group";
  EXPECT_EQ(refusal("a2", "bob"), "");
}

TEST(AdmitSession, InvalidName) {
  EXPECT_EQ(code(Spec(), "-x"), "invalid-name");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) {
              s.mutable_roles(0)->set_role("main");
              s.add_roles()->set_role("a b");
            })),
            "invalid-name");
  for (const char* good : {"a", "A-1_b.c", "0"}) EXPECT_TRUE(is_valid_name(good)) << good;
  for (const char* bad : {"", ".a", "_a", "a b", "a/b", "\xc3\xa9", "a\n"})
    EXPECT_FALSE(is_valid_name(bad)) << bad;
  EXPECT_TRUE(is_valid_name(std::string(64, 'x')));
  EXPECT_FALSE(is_valid_name(std::string(65, 'x')));
}

TEST(AdmitSession, NameInUse) {
  Given g = given(definitions() + Events{session_requested("s1")});
  EXPECT_EQ(admit_session(g.state(), session_id("other"), "s1", owner("alice"), Spec())->code, "name-in-use");
  EXPECT_FALSE(admit_session(g.state(), session_id("other"), "s1", owner("bob"), Spec()).has_value());
}

TEST(AdmitSession, IdInUse) {
  Given g = given(definitions() + Events{session_requested("s1"), session_cancelled("s1")});
  EXPECT_EQ(admit_session(g.state(), session_id("s1"), "s9", owner("alice"), Spec())->code, "id-in-use");
}

TEST(AdmitSession, UnknownGroupOrImageNamesTheKnownOnes) {
  Given g = given(definitions());
  const auto group = admit_session(g.state(), session_id("s"), "s", owner("alice"), Spec().group("gpu"));
  EXPECT_EQ(group->code, "unknown-group");
  EXPECT_EQ(group->hint, "known: default");
  const auto image = admit_session(g.state(), session_id("s"), "s", owner("alice"), Spec().image("python:9"));
  EXPECT_EQ(image->code, "unknown-image");
  EXPECT_EQ(image->hint, "known: python:3.11");
  Spec with_role = Spec().count_of("worker", 1);
  with_role.proto().mutable_roles(1)->set_image("python:9");
  EXPECT_EQ(admit_session(g.state(), session_id("s"), "s", owner("alice"), with_role)->code, "unknown-image");
}

TEST(AdmitSession, AKernelMayAskOneOfExclusiveSlotsOnly) {
  v1::Event group = group_defined("default");
  auto* set = group.mutable_resource_group_defined()->add_exclusive();
  set->add_slots("cuda.device");
  set->add_slots("cuda.shares");
  Given g = given(definitions() + Events{group});
  const auto admit = [&g](const v1::SessionSpec& spec) {
    return admit_session(g.state(), session_id("s"), "s", owner("alice"), spec);
  };
  const auto both = admit(Spec().slot("cuda.device", kUnit).slot("cuda.shares", kUnit));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->code, "exclusive-slots");
  EXPECT_FALSE(admit(Spec().slot("cuda.device", kUnit)).has_value());
  EXPECT_FALSE(admit(Spec().slot("cuda.device", 0).slot("cuda.shares", kUnit)).has_value());
}

TEST(AdmitSession, UnknownSlot) { EXPECT_EQ(code(Spec().slot("npu", kUnit)), "unknown-slot"); }

TEST(AdmitSession, AnAmountThatIsNoMultipleOfTheQuantumNamesTheNearestBelowAndAbove) {
  Given g = given(definitions());
  const auto refusal = admit_session(g.state(), session_id("s"), "s", owner("alice"), Spec().shares(555'000));
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->code, "invalid-amount");
  EXPECT_NE(refusal->message.find("0.555"), std::string::npos);
  EXPECT_EQ(refusal->hint, "nearest below 0.55, nearest above 0.56");
  EXPECT_EQ(code(Spec().shares(550'000)), "");
}

TEST(AdmitSession, AmountsOutOfRange) {
  EXPECT_EQ(code(Spec().slot("cpu", -1)), "invalid-amount");
  EXPECT_EQ(code(Spec().slot("cpu", kAmountMax + 1)), "invalid-amount");
  EXPECT_EQ(code(Spec().slot("cpu", 0)), "invalid-amount") << "cpu and mem must be asked for";
  EXPECT_EQ(code(Spec().slot("mem", 0)), "invalid-amount");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.mutable_roles(0)->clear_slots(); })), "invalid-amount");
}

TEST(AdmitSession, ShmMustBeSmallerThanMem) {
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_shm(kGiga - 1); })), "");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_shm(kGiga); })), "invalid-amount");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_shm(-1); })), "invalid-amount");
}

TEST(AdmitSession, InvalidSpec) {
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_type(v1::SESSION_TYPE_UNSPECIFIED); })), "invalid-spec");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_type(v1::BATCH); })), "invalid-spec")
      << "a batch session needs a command";
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_pending_timeout_ms(-1); })), "invalid-spec");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.clear_roles(); })), "invalid-spec");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.mutable_roles(0)->set_role("sub"); })), "invalid-spec");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.mutable_roles(0)->set_count(0); })), "invalid-spec");
  EXPECT_EQ(code(Spec().kernels(257)), "invalid-spec");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { *s.mutable_roles(0)->add_slots() = s.roles(0).slots(0); })),
            "invalid-spec")
      << "cpu twice";
  EXPECT_EQ(code(Spec(), "s2", ""), "invalid-spec") << "no owner";
}

TEST(AdmitSession, CountsThatWouldOverflowTheirSumAreTooMany) {
  EXPECT_EQ(code(Spec().kernels(1u << 31).count_of("sub", (1u << 31) + 1)), "invalid-spec");
}

TEST(AdmitSession, TimesAndEnumsOutOfRangeAreRefused) {
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_pending_timeout_ms(INT64_MAX / 1000); })),
            "invalid-spec");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_start_time_ms(INT64_MAX); })), "invalid-spec");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_batch_timeout_ms(projections::kSpecTimeMaxMs); })), "");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_mode(static_cast<v1::ClusterMode>(7)); })),
            "invalid-spec");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_agent_rule(static_cast<v1::AgentRule>(7)); })),
            "invalid-spec");
}

v1::SessionSpec depending_on(const std::vector<std::string>& names) {
  v1::SessionSpec spec = Spec().batch();
  for (const auto& name : names) spec.add_depends_on(wire(name));
  return spec;
}

TEST(AdmitSession, OnlyBatchDependsOnBatch) {
  Given g = given(definitions() + Events{session_requested("d1", Spec().batch()), session_requested("i1")});
  const auto code_of = [&g](const v1::SessionSpec& spec) {
    const auto refusal = admit_session(g.state(), session_id("s1"), "s1", owner("alice"), spec);
    return refusal ? refusal->code.word() : std::string();
  };
  v1::SessionSpec interactive = depending_on({"d1"});
  interactive.set_type(v1::INTERACTIVE);
  EXPECT_EQ(code_of(depending_on({"d1"})), "");
  EXPECT_EQ(code_of(interactive), "not-for-this-type");
  EXPECT_EQ(code_of(depending_on({"i1"})), "not-for-this-type");
  EXPECT_EQ(code_of(depending_on({"nobody"})), "unknown-dependency");
  EXPECT_EQ(code_of(depending_on({"s1"})), "dependency-cycle");
}

TEST(AdmitSession, WhatIsOverALimitIsRefusedWithAllReasons) {
  Given g = given(definitions() + Events{session_requested("s1"), Limit("user", "alice").pending(2)});
  const auto ask = [&g](std::uint32_t ahead) {
    return admit_session(g.state(), session_id("s2"), "s2", owner("alice"), Spec(), ahead);
  };
  EXPECT_FALSE(ask(0).has_value());
  ASSERT_TRUE(ask(1).has_value()) << "one of the same request comes before it";
  EXPECT_EQ(ask(1)->code, "limit-exceeded");
  EXPECT_NE(ask(1)->message.find("user alice: pending 2 + 1 of 2"), std::string::npos) << ask(1)->message;
}

}  // namespace
}  // namespace berth::controller
