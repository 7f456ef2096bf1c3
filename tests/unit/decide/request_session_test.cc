// Admission's rulebook has its own test (admit_session_test.cc); here is what the request adds to it.
#include "projections/tables/session_bounds.h"
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

// Only the slots are said, and maybe more by the test.
v1::SessionSpec bare() {
  const v1::SessionSpec whole = Spec();
  v1::SessionSpec spec;
  *spec.add_roles()->mutable_slots() = whole.roles(0).slots();
  return spec;
}

v1::Event named(v1::Event requested, const std::string& name) {
  requested.mutable_session_requested()->set_name(name);
  return requested;
}

v1::Event numbered(v1::Event requested, std::uint32_t number, std::uint32_t count) {
  requested.mutable_session_requested()->set_number(number);
  requested.mutable_session_requested()->set_count(count);
  return requested;
}

TEST(RequestSession, WaitsWhenNoAgentHasEnoughSlots) {
  const v1::SessionSpec large = Spec().cpu(100);
  given(world()).when(request_session("s1", large)).then({session_requested("s1", large)});
}

TEST(RequestSession, IsAcceptedWithItsDefaultsFilledIn) {
  Spec whole;
  whole.proto().clear_architecture();
  whole.proto().set_shm(64 * kMega);
  whole.proto().set_mode(v1::SINGLE_NODE);
  EXPECT_EQ(whole.proto().priority(), 10);
  EXPECT_EQ(whole.proto().max_attempts(), 5u);
  given(world()).when(request_session("s1", bare())).then({session_requested("s1", whole)});
}

TEST(RequestSession, TheGroupsSettingsComeBeforeOurs) {
  v1::Event group = group_defined("default");
  group.mutable_resource_group_defined()->set_max_attempts(2);
  group.mutable_resource_group_defined()->set_shm(128 * kMega);
  group.mutable_resource_group_defined()->set_pending_timeout_ms(60'000);
  Spec whole = Spec().max_attempts(2).pending_timeout(kMinute);
  whole.proto().clear_architecture();
  whole.proto().set_shm(128 * kMega);
  given(world() + Events{group}).when(request_session("s1", bare())).then({session_requested("s1", whole)});
}

TEST(RequestSession, DesignatedAgentsAreStrictUnlessTheRequestPrefersThem) {
  Spec asked, strict, preferred;
  for (Spec* spec : {&asked, &strict, &preferred}) spec->proto().add_agents("a1");
  strict.proto().set_agent_rule(v1::AGENT_STRICT);
  preferred.proto().set_agent_rule(v1::AGENT_PREFERRED);
  given(world()).when(request_session("s1", asked)).then({session_requested("s1", strict)});
  given(world()).when(request_session("s1", preferred)).then({session_requested("s1", preferred)});
}

TEST(RequestSession, TheFirstOfItsRecordHasTheHashOfTheBody) {
  Case c = given(world());
  c.when(request_session("s", Spec(), 2));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_EQ(c.decided()[0].body_hash().size(), 16u);
  EXPECT_EQ(c.decided()[1].body_hash(), "");
}

struct Refused {
  const char* what;
  v1::SessionSpec spec;
  const char* code;
};

TEST(RequestSession, WhatAdmissionRefusesIsTheAnswer) {
  v1::Event group = group_defined("default");
  auto* set = group.mutable_resource_group_defined()->add_exclusive();
  set->add_slots("cuda.device");
  set->add_slots("cuda.shares");
  Spec shm_of_mem, many_agents;
  shm_of_mem.proto().set_shm(kGiga);
  for (int i = 0; i <= projections::kDesignatedMax; ++i) many_agents.proto().add_agents("a1");
  const std::vector<Refused> rows = {
      {"a group", Spec().group("gpu"), "unknown-group"},
      {"an image", Spec().image("python:9"), "unknown-image"},
      {"a slot", Spec().slot("rocks", kUnit), "unknown-slot"},
      {"less than nothing", Spec().slot("cpu", -1), "invalid-amount"},
      {"no cpu", Spec().cpu(0), "invalid-amount"},
      {"shm as large as mem", shm_of_mem, "invalid-amount"},
      {"two slots of which one may be had", Spec().devices(1).shares(kUnit), "exclusive-slots"},
      {"more kernels than a session has", Spec().kernels(257), "invalid-spec"},
      {"more agents than may be designated", many_agents, "invalid-spec"},
      {"batch without a command", Spec().type(v1::BATCH), "invalid-spec"},
  };
  Case c = given(world() + Events{group});
  for (const Refused& row : rows) {
    SCOPED_TRACE(row.what);
    c.when(request_session("s1", row.spec)).then_refused(row.code);
  }
  c.when(request_session("-x")).then_refused("invalid-name");
  v1::Request of_nobody = request_session("s1");
  of_nobody.set_actor("controller");
  of_nobody.clear_owner();
  c.when(of_nobody).then_refused("invalid-spec");
  EXPECT_EQ(c.state().sessions.size(), 0u);
}

// ---- names and ids ----

TEST(RequestSession, P13_NamesAreNumberedOnlyWhenThereAreSeveral) {
  given(world())
      .when(request_session("demo", Spec(), 3))
      .then({numbered(session_requested("demo-1"), 1, 3), numbered(session_requested("demo-2"), 2, 3),
             numbered(session_requested("demo-3"), 3, 3)})
      .when(request_session("demo"))
      .then({session_requested("demo")});
}

v1::Request without_ids(v1::Request r, const std::string& key) {
  r.mutable_request_session()->clear_session_ids();
  return keyed(std::move(r), key);
}

TEST(RequestSession, P13_IdsAreDerivedWhereNoneAreGiven) {
  Case c = given(world());
  c.when(without_ids(request_session("demo", Spec(), 2), "k1"));
  ASSERT_EQ(c.decided().size(), 2u);
  const auto& first = c.decided()[0].session_requested();
  EXPECT_EQ(first.session_id().size(), 16u);
  EXPECT_NE(first.session_id(), c.decided()[1].session_requested().session_id());
}

TEST(RequestSession, P13_ADerivedIdIsOfActorKeyBodyAndNumberAlone) {
  const v1::Request r = without_ids(request_session("s1"), "k1");
  Case c = given(world());
  c.when(r);
  ASSERT_EQ(c.decided().size(), 1u);
  const std::string told = c.decided()[0].session_requested().session_id();
  Case later =
      given(world() + Events{session_requested("other")});  // P35: decided again, elsewhere in the log
  later.after(kHour).when(r);
  ASSERT_EQ(later.decided().size(), 1u);
  EXPECT_EQ(later.decided()[0].session_requested().session_id(), told);
  for (const v1::Request& another :
       {without_ids(request_session("s1"), "k2"), without_ids(request_session("s2"), "k1"),
        sent_by(without_ids(request_session("s1"), "k1"), "bob")}) {
    Case d = given(world());
    d.when(another);
    for (const v1::Event& e : d.decided()) EXPECT_NE(e.session_requested().session_id(), told);
  }
}

TEST(RequestSession, P13_AfterItsKeyWasForgottenTheSameRequestIsRefusedWithTheFirstSessionsName) {
  v1::Request r = without_ids(request_session("s1"), "k1");
  Case c = given(world());
  c.when(r);
  ASSERT_EQ(c.decided().size(), 1u);
  const SessionId id(*Uuid::from_bytes(c.decided()[0].session_requested().session_id()));
  c.after(25 * kHour).and_given({clock_confirmed()});  // a record, at which the key is forgotten
  c.when(r).then_refused("id-in-use");
  EXPECT_NE(c.decided().at(0).request_refused().message().find("session s1 ("), std::string::npos);
  // Its session has left the state: its name is free, its id is not.
  Case past = given(world());
  past.with_past_id(id, {"alice", "s1", v1::INTERACTIVE, {}});
  past.when(r).then_refused("id-in-use");
  EXPECT_NE(past.decided().at(0).request_refused().message().find("session s1 ("), std::string::npos);
}

TEST(RequestSession, ASessionWithoutANameIsNamedByItsId) {
  v1::Request r = request_session("s1");
  r.mutable_request_session()->clear_name();
  const std::string name = "session-" + to_string(id_of("s1")).substr(0, 8);
  given(world()).when(r).then({named(session_requested("s1"), name)});
}

TEST(RequestSession, AcceptsAllOrNone) {
  Case c = given(world() + Events{named(session_requested("other"), "demo-2")});
  c.when(request_session("demo", Spec(), 3)).then_refused("name-in-use");
  EXPECT_EQ(c.state().sessions.size(), 1u);
}

TEST(RequestSession, AskedAgainUnderAnotherKeyItsNameIsInUse) {
  v1::Request again = request_session("s1");
  again.mutable_request_session()->clear_session_ids();
  given(world()).when(request_session("s1")).when(again).then_refused("name-in-use");
}

TEST(RequestSession, P13_AnIdThatWasUsedBeforeIsRefused) {
  given(world() + Events{session_requested("s1"), session_cancelled("s1")})
      .when(request_session("s1"))
      .then_refused("id-in-use");
  given(world()).with_history({"old"}).when(request_session("old")).then_refused("id-in-use");
  v1::Request twice = request_session("s", Spec(), 2);
  twice.mutable_request_session()->set_session_ids(1, wire("s-1"));
  given(world()).when(twice).then_refused("id-in-use");
}

TEST(RequestSession, AsManyIdsAsSessionsAreGivenAndEachHas16Bytes) {
  v1::Request fewer = request_session("s", Spec(), 3);
  fewer.mutable_request_session()->mutable_session_ids()->RemoveLast();
  given(world()).when(fewer).then_refused("invalid-spec");
  for (const std::string& id : {std::string("short"), std::string(16, '\0')}) {
    v1::Request bad = request_session("s");
    bad.mutable_request_session()->set_session_ids(0, id);
    given(world()).when(bad).then_refused("invalid-spec");
  }
}

// ---- amounts and sizes ----

TEST(RequestSession, AnAmountThatIsNoMultipleOfTheQuantumIsRefusedWithTheNearest) {
  const Events tenths = {slot_type_registered("cpu", SlotKind::kCount, kUnit / 10)};
  given(world() + tenths)
      .when(request_session("s1", Spec().slot("cpu", kUnit / 4)))
      .then_refused("invalid-amount")
      .then_hint("nearest below 0.2, nearest above 0.3");
}

TEST(RequestSession, P4_ARequestWhoseRecordWouldBeTooLargeIsRefused) {
  Spec large;
  auto* env = large.proto().add_env();
  env->set_key("X");
  env->set_value(std::string(300'000, 'x'));
  given(world()).when(request_session("s1", large)).then_refused("request-too-large");
  env->set_value(std::string(30'000, 'x'));
  given(world()).when(request_session("s", large, 8)).then_refused("request-too-large");
  given(world()).when(request_session("s1", large)).then({session_requested("s1", large)});
}

// `domain` and `project` of a request are what its sender says.
TEST(RequestSession, P1_AnOwnerThatIsUnknownIsRefused) {
  Case c = given(world() + Events{project_defined("default", "other"), domain_defined("d2"),
                                  project_defined("d2", "default"), key_pair_defined("k1", "bob")});
  const auto owned = [&c](const std::string& domain, const std::string& project, const std::string& user,
                          const std::string& key = "") -> Case& {
    v1::Request r = request_session("s1");
    r.set_actor("controller");
    r.mutable_owner()->set_domain(domain);
    r.mutable_owner()->set_project(project);
    r.mutable_owner()->set_user(user);
    r.mutable_owner()->set_keypair(key);
    return c.when(r);
  };
  owned("default", "default", "carol").then_refused("unknown-owner");
  owned("default", "nope", "alice").then_refused("unknown-owner");
  owned("default", "other", "alice").then_refused("unknown-owner");
  owned("d2", "default", "alice").then_refused("unknown-owner");
  owned("default", "default", "alice", "nope").then_refused("unknown-owner");
  owned("default", "default", "alice", "k1").then_refused("unknown-owner");
  owned("default", "default", "alice");
  EXPECT_TRUE(c.decided().at(0).has_session_requested());
}

TEST(RequestSession, ASuperadminMayAskInEveryProjectThatExists) {
  v1::Event root = user_defined("root");
  root.mutable_user_defined()->set_role(v1::ROLE_SUPERADMIN);
  Case c = given(world() + Events{root, domain_defined("d2"), project_defined("d2", "default")});
  const auto asked_in = [&c](const std::string& project) -> Case& {
    v1::Request r = sent_by(request_session("of " + project), "root");
    r.mutable_request_session()->set_name("s1");
    r.mutable_owner()->set_domain("d2");
    r.mutable_owner()->set_project(project);
    return c.when(r);
  };
  asked_in("nope").then_refused("unknown-owner");
  asked_in("default");
  EXPECT_TRUE(c.decided().at(0).has_session_requested());
}

TEST(RequestSession, AmountsThatOverflowTogetherAreRefused) {
  given(world())
      .when(request_session("s1", Spec().slot("cpu", kAmountMax).kernels(256)))
      .then_refused("invalid-amount");
}

TEST(RequestSession, MoreSessionsThanARequestMayHaveAreRefused) {
  given(world())
      .when(request_session("s", Spec(), projections::kSessionsPerRequestMax + 1))
      .then_refused("invalid-spec");
}

TEST(RequestSession, AJobPriorityOrSessionGroupOutOfRangeIsRefused) {
  Case c = given(world());
  const auto asked = [&c](const Spec& spec) -> Case& { return c.when(request_session("s1", spec)); };
  asked(Spec().job_priority(1001)).then_refused("invalid-spec");
  asked(Spec().job_priority(-1001)).then_refused("invalid-spec");
  const Spec low = Spec().job_priority(-1000);
  asked(Spec(low).session_group("", v1::SPREAD)).then_refused("invalid-name");
  asked(Spec(low).session_group(std::string(65, 'x'), v1::SPREAD)).then_refused("invalid-name");
  asked(Spec(low).session_group("web", v1::SESSION_GROUP_RULE_UNSPECIFIED)).then_refused("invalid-spec");
  const Spec web = Spec(low).session_group("web", v1::PACK);
  asked(web).then({session_requested("s1", web)});
}

TEST(RequestSession, ARoleMayBeNamedOnce) {
  Spec spec;
  *spec.proto().add_roles() = v1::RoleSpec(spec.proto().roles(0));
  given(world()).when(request_session("s1", spec)).then_refused("invalid-spec");
}

// ---- what the group and the image say ----

TEST(RequestSession, S13_IsRefusedWhereNoAgentOfTheGroupHasTheSlot) {
  Case c = given(world() + Events{slot_type_registered("npu", SlotKind::kCount)});
  const Spec none_wished = Spec().slot("npu", 0);
  c.when(request_session("s1", none_wished)).then({session_requested("s1", none_wished)});
  c.when(request_session("s2", Spec().slot("npu", kUnit))).then_refused("slot-not-served");
}

TEST(RequestSession, S13_IsRefusedWhereTheGroupHasNoAgents) {
  given(world() + Events{group_defined("empty")})
      .when(request_session("s1", Spec().group("empty")))
      .then_refused("no-agents");
}

v1::Event image_with(const std::vector<std::pair<const char*, const char*>>& labels) {
  v1::Event image = image_registered("big:1");
  for (const auto& [key, value] : labels) {
    auto* label = image.mutable_image_registered()->add_labels();
    label->set_key(key);
    label->set_value(value);
  }
  return image;
}

// Section 13: cpu and mem come from the image where the request has none, mem with shm on top; less than the
// image's is refused.
TEST(RequestSession, S13_TheImagesMinimumFillsInAndHolds) {
  const Events big = {
      image_with({{"berth.min.cpu", "2"}, {"berth.min.mem", "512m"}, {"berth.min.npu", "1"}})};
  v1::SessionSpec without_slots;
  without_slots.set_image("big:1");
  without_slots.add_roles();
  Spec whole = Spec().image("big:1").cpu(2).mem(576 * kMega);
  given(world() + big).when(request_session("s1", without_slots)).then({session_requested("s1", whole)});
  given(world() + big).when(request_session("s2", Spec().image("big:1"))).then_refused("below-image-minimum");
  const Spec enough = Spec().image("big:1").cpu(4);
  given(world() + big).when(request_session("s3", enough)).then({session_requested("s3", enough)});
  given(world() + big)
      .when(request_session("s4", Spec().cpu(4)))
      .then({session_requested("s4", Spec().cpu(4))});
}

TEST(RequestSession, S13_WhatIsBelowTheImagesMinimumIsRefusedNamingBothAmounts) {
  struct Row {
    const char* what;
    const char* label;
    const char* minimum;
    Spec asked;
    std::string says;  // empty: accepted
  };
  Spec own_shm = Spec().mem(600 * kMega);
  own_shm.proto().set_shm(128 * kMega);
  const Row rows[] = {
      {"cpu 4 against 2", "berth.min.cpu", "2", Spec().cpu(4), ""},
      {"cpu 2 against 2", "berth.min.cpu", "2", Spec().cpu(2), ""},
      {"cpu 1 against 8", "berth.min.cpu", "8", Spec().cpu(1), "needs cpu 8, and 1 is asked for"},
      {"memory, shm on top", "berth.min.mem", "512m", Spec().mem(576 * kMega), ""},
      {"memory less shm", "berth.min.mem", "512m", Spec().mem(575 * kMega),
       "needs mem 576m, and 575m is asked for"},
      {"a larger shm", "berth.min.mem", "512m", own_shm, "needs mem 640m, and 600m is asked for"},
      {"a slot that is not asked for", "berth.min.cuda.device", "1", Spec(),
       "needs cuda.device 1, and 0 is asked for"},
      {"a slot that nobody registered", "berth.min.npu", "1", Spec(), ""}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Case c = given(world() + Events{image_with({{row.label, row.minimum}})});
    c.when(request_session("s1", Spec(row.asked).image("big:1")));
    const auto& refused = c.decided().at(0).request_refused();
    EXPECT_EQ(refused.code(), row.says.empty() ? "" : "below-image-minimum");
    EXPECT_NE(refused.message().find(row.says), std::string::npos) << refused.message();
  }
}

TEST(RequestSession, S13_EachRolesOwnImageHasItsMinimum) {
  const Events world_of_both = world() + Events{image_with({{"berth.min.cpu", "4"}})};
  Spec sub_is_large = Spec().cpu(2).count_of("sub", 1);
  sub_is_large.proto().mutable_roles(1)->set_image("big:1");
  Case c = given(world_of_both);
  c.when(request_session("s1", sub_is_large)).then_refused("below-image-minimum");
  EXPECT_NE(c.decided().at(0).request_refused().message().find("role sub"), std::string::npos);
  sub_is_large.proto().mutable_roles(1)->mutable_slots(0)->set_amount(4 * kUnit);
  c.when(request_session("s2", sub_is_large));
  EXPECT_TRUE(c.decided().at(0).has_session_requested());
  Spec main_is_large = Spec().cpu(2).count_of("sub", 1).image("big:1");
  main_is_large.proto().mutable_roles(0)->mutable_slots(0)->set_amount(4 * kUnit);
  main_is_large.proto().mutable_roles(1)->set_image("python:3.11");
  c.when(request_session("s3", main_is_large));
  EXPECT_TRUE(c.decided().at(0).has_session_requested());
}

TEST(RequestSession, S13_ShmComesFromTheImageOfMainAlsoWhereTheRoleNamesIt) {
  Spec asked = Spec().image("");
  asked.proto().mutable_roles(0)->set_image("big:1");
  Case c = given(world() + Events{image_with({{"berth.shm", "256m"}})});
  c.when(request_session("s1", asked));
  EXPECT_EQ(c.decided().at(0).session_requested().spec().shm(), 256 * kMega);
}

TEST(RequestSession, S13_ShmComesFromTheImagesLabelBeforeTheGroup) {
  Spec whole = Spec().image("big:1");
  whole.proto().set_shm(256 * kMega);
  given(world() + Events{image_with({{"berth.shm", "256m"}})})
      .when(request_session("s1", Spec().image("big:1")))
      .then({session_requested("s1", whole)});
}

TEST(RequestSession, RefusesADesignatedAgentThatIsNotThere) {
  Spec spec;
  spec.proto().add_agents("a1");
  spec.proto().add_agents("nope");
  given(world()).when(request_session("s1", spec)).then_refused("unknown-agent");
}

TEST(RequestSession, RefusesToStartWithoutAnImageWhereAllAgentsRunContainers) {
  Events containers = world();
  containers.back().mutable_agent_joined()->set_backend("oci");
  Spec bare = Spec().image("");
  given(containers).when(request_session("s1", bare)).then_refused("image-required");
  Spec image_of_role = bare;
  image_of_role.proto().mutable_roles(0)->set_image("python:3.11");
  Spec whole = image_of_role;
  whole.proto().mutable_roles(0)->set_architecture("x86_64");
  given(containers).when(request_session("s1", image_of_role)).then({session_requested("s1", whole)});
  given(world()).when(request_session("s1", bare)).then({session_requested("s1", bare)});
}

TEST(RequestSession, S13_ADefaultShmIsAtMostHalfOfTheMemoryAskedFor) {
  const Spec small = Spec().mem(64 * kMega);
  Spec whole = small;
  whole.proto().set_shm(32 * kMega);
  given(world()).when(request_session("s1", small)).then({session_requested("s1", whole)});
  Spec asked = small;
  asked.proto().set_shm(64 * kMega);
  given(world()).when(request_session("s1", asked)).then_refused("invalid-amount");
}

// ---- dependencies ----

v1::SessionSpec batch_after(const std::string& on) {
  Spec spec = Spec().batch();
  spec.proto().add_depends_on(wire(on));
  return spec;
}

TEST(RequestSession, DependsOnOwnSessionsByNameOrId) {
  const Spec batch = Spec().batch();
  Case c = given(world() + Events{session_requested("d1", batch)});
  c.when(depending(request_session("s1", batch), {"d1", to_string(id_of("d1"))}))
      .then({session_requested("s1", batch_after("d1"))});
  c.when(depending(request_session("s2", batch), {"nobody"})).then_refused("unknown-dependency");
  c.when(depending(request_session("s3", batch), {"s3"})).then_refused("dependency-cycle");
  c.when(depending(request_session("s4", batch, 2), {"s4-2"})).then_refused("dependency-cycle");
  c.when(sent_by(depending(request_session("s5", batch), {"d1"}), "bob")).then_refused("unknown-dependency");
}

TEST(RequestSession, DependsOnTheLiveSessionOfANameElseTheNewestThatEnded) {
  const Spec batch = Spec().batch();
  const auto named_d = [&](const char* id) { return named(session_requested(id, batch), "d"); };
  Events second = running("d2", "a1", batch) + Events{kernel_terminated(kernel_name("d2"))};
  second.front() = named_d("d2");
  Case c = given(world() + Events{named_d("d1"), session_cancelled("d1")} + second);
  c.when(depending(request_session("s1", batch), {"d"})).then({session_requested("s1", batch_after("d2"))});
  c.and_given({named_d("d3")});
  c.when(depending(request_session("s2", batch), {"d"})).then({session_requested("s2", batch_after("d3"))});
}

TEST(RequestSession, ADependencyThatEndedWithoutSuccessIsRefused) {
  const Spec batch = Spec().batch();
  Case c = given(world() + running("failed", "a1", batch) +
                 Events{kernel_terminated(kernel_name("failed"), v1::EXITED, 3),
                        session_requested("cancelled", batch), session_cancelled("cancelled")});
  c.when(depending(request_session("s1", batch), {"failed"})).then_refused("dependency-failed");
  c.when(depending(request_session("s2", batch), {"cancelled"})).then_refused("dependency-failed");
  Spec patient = batch;
  patient.proto().set_wait_on_dependency_failure(true);  // of one that may still succeed
  c.when(depending(request_session("s3", patient), {"failed"})).then_refused("dependency-failed");
}

// A past session is named by its id: the API knows the names of history.
TEST(RequestSession, ADependencyInHistoryIsMetIfItSucceededAndRefusedIfItFailed) {
  using projections::SessionResult;
  const Spec batch = Spec().batch();
  const auto on = [&](const char* past, const v1::SessionSpec& spec) {
    return depending(request_session("s1", spec), {to_string(session_id(past))});
  };
  Case c = given(world());
  c.with_past("good", {"alice", "good", v1::BATCH, SessionResult::kSuccess})
      .with_past("bad", {"alice", "bad", v1::BATCH, SessionResult::kFailed})
      .with_past("other", {"bob", "other", v1::BATCH, SessionResult::kSuccess})
      .with_past("chat", {"alice", "chat", v1::INTERACTIVE, SessionResult::kNone});
  c.when(on("bad", batch)).then_refused("dependency-failed");
  c.when(on("other", batch)).then_refused("unknown-dependency");
  c.when(on("chat", batch)).then_refused("not-for-this-type");
  c.when(on("good", Spec())).then_refused("not-for-this-type");
  v1::Event requested = session_requested("s1", batch_after("good"));
  requested.mutable_session_requested()->add_met(wire("good"));
  c.when(on("good", batch)).then({requested});
}

TEST(RequestSession, DependenciesAreForBatchSessionsAlone) {
  const Spec batch = Spec().batch();
  Case c = given(world() + Events{session_requested("d1", batch), session_requested("i1")});
  c.when(depending(request_session("s1"), {"d1"})).then_refused("not-for-this-type");
  c.when(depending(request_session("s2", batch), {"i1"})).then_refused("not-for-this-type");
}

// Section 13, and that the sessions of one request count one after the other.
TEST(RequestSession, S13_ThePendingLimitIsForAllSessionsOfTheRequest) {
  Case c = given(world() + Events{Limit("user", "alice").pending(2)});
  c.when(request_session("s", Spec(), 3)).then_refused("limit-exceeded");
  c.when(request_session("s", Spec(), 2))
      .then({numbered(session_requested("s-1"), 1, 2), numbered(session_requested("s-2"), 2, 2)});
  c.when(request_session("t")).then_refused("limit-exceeded");
}

struct Limited {
  const char* row;
  Limit limit;
  v1::SessionSpec waits;  // before it
  v1::SessionSpec asked;
  bool accepted;
};

TEST(RequestSession, S13_TheLimitsOfItsOwner) {
  const auto alice = [] { return Limit("user", "alice"); };
  const std::vector<Limited> rows = {
      {"S13.1 2 of 4", alice().kernels_per_session(4), Spec(), Spec().kernels(2), true},
      {"S13.1 3 of 2", alice().kernels_per_session(2), Spec(), Spec().kernels(3), false},
      {"S13.2 the second of 2", alice().pending(2), Spec(), Spec(), true},
      {"S13.2 the second of 1", alice().pending(1), Spec(), Spec(), false},
      {"S13.3 5 of 5", alice().priority(5), Spec(), Spec().priority(5), true},
      {"S13.3 50 of 10", alice().priority(10), Spec(), Spec().priority(50), false},
      {"S13.4 2 + 1 of 4", alice().pending_slot("cpu", 4 * kUnit), Spec().cpu(2), Spec(), true},
      {"S13.4 3 + 1 of 3", alice().pending_slot("cpu", 3 * kUnit), Spec().cpu(3), Spec(), false},
  };
  for (const Limited& row : rows) {
    SCOPED_TRACE(row.row);
    Case c = given(world() + Events{session_requested("s0", row.waits), row.limit});
    c.when(request_session("s1", row.asked));
    if (row.accepted)
      c.then({session_requested("s1", row.asked)});
    else
      c.then_refused("limit-exceeded");
  }
}

// ---- a sealed environment (P29) ----

v1::Sealed sealed(char fill) {
  v1::Sealed s;
  s.set_key(1);
  s.set_nonce(std::string(24, fill));
  s.set_box(std::string(64, fill));
  return s;
}

v1::Request with_environment(v1::Request request, char fill, char hash) {
  *request.mutable_request_session()->mutable_environment() = sealed(fill);
  request.set_keyed_hash(std::string(16, hash));
  return request;
}

TEST(RequestSession, P29_TheFirstSessionOfARequestBringsTheEnvironmentOfAll) {
  Case c = given(world());
  c.when(with_environment(request_session("demo", Spec(), 2), 'e', 'h'));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_TRUE(c.decided()[0].session_requested().has_environment());
  EXPECT_FALSE(c.decided()[1].session_requested().has_environment());
  EXPECT_EQ(c.session("demo-2").environment, c.session("demo-1").environment);
}

// A retry is sealed anew, so its bytes differ: the keyed hash says that it is the same.
TEST(RequestSession, P29_ARetryIsKnownByTheKeyedHashOfItsPlaintext) {
  Case c = given(world());
  c.when(keyed(with_environment(request_session("demo"), 'e', 'h'), "k1"));
  ASSERT_TRUE(c.decided()[0].has_session_requested());
  EXPECT_TRUE(c.decided()[0].keyed());
  c.when(keyed(with_environment(request_session("demo"), 'f', 'h'), "k1"));
  ASSERT_EQ(c.decided().size(), 1u);
  EXPECT_TRUE(c.decided()[0].has_request_repeated());
  c.when(keyed(with_environment(request_session("demo"), 'e', 'x'), "k1"))
      .then_refused("idempotency-conflict");
}

TEST(RequestSession, P29_AnEnvironmentThatIsHalfSealedIsRefused) {
  v1::Request no_hash = with_environment(request_session("demo"), 'e', 'h');
  no_hash.clear_keyed_hash();
  given(world()).when(no_hash).then_refused("missing-keyed-hash");
  v1::Request short_box = with_environment(request_session("demo"), 'e', 'h');
  short_box.mutable_request_session()->mutable_environment()->set_box("x");
  given(world()).when(short_box).then_refused("invalid-spec");
  v1::Request both = with_environment(request_session("demo"), 'e', 'h');
  both.mutable_request_session()->mutable_spec()->add_env()->set_key("A");
  given(world()).when(both).then_refused("invalid-spec");
}

}  // namespace
}  // namespace berth::testing::decisions
