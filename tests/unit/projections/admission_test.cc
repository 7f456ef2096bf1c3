#include "projections/fold/admission.h"

#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::admit_session;

// Code of the refusal, or "" when it is accepted. The fold's own net says the same.
std::string code(const v1::SessionSpec& spec, const std::string& name = "s2",
                 const std::string& user = "alice") {
  Given g = given(definitions() + Events{session_requested("s1")});
  const auto refusal = admit_session(g.state(), session_id(name), name, owner(user), spec);
  g.when({session_requested(name, spec, user)});
  if (!refusal) {
    g.then_applied();
    return "";
  }
  g.then_forbidden(refusal->code);
  EXPECT_FALSE(refusal->message.empty());
  return refusal->code;
}

v1::SessionSpec bent(void (*bend)(v1::SessionSpec&), Spec spec = Spec()) {
  v1::SessionSpec out = spec;
  bend(out);
  return out;
}

TEST(Admission, AcceptsWhatMerelyDoesNotFitNow) {
  EXPECT_EQ(code(Spec()), "");
  EXPECT_EQ(code(Spec().cpu(100'000)), "");
  EXPECT_EQ(code(Spec().batch().kernels(256).shares(kUnit).image("python:3.11")), "");
}

TEST(Admission, InvalidName) {
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

TEST(Admission, NameInUse) {
  Given g = given(definitions() + Events{session_requested("s1")});
  EXPECT_EQ(admit_session(g.state(), session_id("other"), "s1", owner("alice"), Spec())->code, "name-in-use");
  EXPECT_FALSE(admit_session(g.state(), session_id("other"), "s1", owner("bob"), Spec()).has_value());
}

TEST(Admission, IdInUse) {
  Given g = given(definitions() + Events{session_requested("s1"), session_cancelled("s1")});
  EXPECT_EQ(admit_session(g.state(), session_id("s1"), "s9", owner("alice"), Spec())->code, "id-in-use");
}

TEST(Admission, UnknownGroupOrImageNamesTheKnownOnes) {
  Given g = given(definitions());
  const auto group = admit_session(g.state(), session_id("s"), "s", owner("alice"), Spec().group("gpu"));
  EXPECT_EQ(group->code, "unknown-group");
  EXPECT_EQ(group->hint, "known: default");
  const auto image = admit_session(g.state(), session_id("s"), "s", owner("alice"), Spec().image("python:9"));
  EXPECT_EQ(image->code, "unknown-image");
  EXPECT_EQ(image->hint, "known: python:3.11");
}

TEST(Admission, AKernelMayAskOneOfExclusiveSlotsOnly) {
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

TEST(Admission, UnknownSlot) { EXPECT_EQ(code(Spec().slot("npu", kUnit)), "unknown-slot"); }

TEST(Admission, AnAmountThatIsNoMultipleOfTheQuantumNamesTheNearestBelowAndAbove) {
  Given g = given(definitions());
  const auto refusal = admit_session(g.state(), session_id("s"), "s", owner("alice"), Spec().shares(555'000));
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->code, "invalid-amount");
  EXPECT_NE(refusal->message.find("0.555"), std::string::npos);
  EXPECT_EQ(refusal->hint, "nearest below 0.55, nearest above 0.56");
  EXPECT_EQ(code(Spec().shares(550'000)), "");
}

TEST(Admission, AmountsOutOfRange) {
  EXPECT_EQ(code(Spec().slot("cpu", -1)), "invalid-amount");
  EXPECT_EQ(code(Spec().slot("cpu", kAmountMax + 1)), "invalid-amount");
  EXPECT_EQ(code(Spec().slot("cpu", 0)), "invalid-amount") << "cpu and mem must be asked for";
  EXPECT_EQ(code(Spec().slot("mem", 0)), "invalid-amount");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.mutable_roles(0)->clear_slots(); })), "invalid-amount");
}

TEST(Admission, ShmMustBeSmallerThanMem) {
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_shm(kGiga - 1); })), "");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_shm(kGiga); })), "invalid-amount");
  EXPECT_EQ(code(bent([](v1::SessionSpec& s) { s.set_shm(-1); })), "invalid-amount");
}

TEST(Admission, InvalidSpec) {
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

}  // namespace
}  // namespace berth::testing
