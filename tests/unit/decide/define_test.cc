#include "tests/support/decide.h"
#include "tests/support/words.h"

namespace berth::testing::decisions {
namespace {

using Group = v1::ResourceGroupDefined;

v1::Event group_with(const std::function<void(Group&)>& change) {
  v1::Event e = group_defined("g");
  change(*e.mutable_resource_group_defined());
  return e;
}

// What the definition comes to: it is accepted as it is said, or refused with this code.
void expect_defined(const v1::Event& event) { given(world()).when(define({event})).then({event}); }
void expect_refused(const v1::Event& event, const std::string& code) {
  SCOPED_TRACE(describe(event));
  given(world()).when(define({event})).then_refused(code);
}

v1::Event image_from(const std::string& source) {
  v1::Event image = image_registered("python:3.12");
  image.mutable_image_registered()->set_source(source);
  return image;
}

TEST(Define, EveryKindOfDefinitionIsAnEventOfItsOwnInTheOrderOfTheSchema) {
  const Events all = {slot_type_registered("npu", SlotKind::kCount, kUnit),
                      group_defined("g"),
                      domain_defined("d"),
                      project_defined("d", "p"),
                      user_defined("bob"),
                      key_pair_defined("k1", "bob"),
                      image_from("oci:/x:1"),
                      preset_defined("small", "npu", kUnit)};
  given(world()).when(define(all)).then(all);
}

TEST(Define, AskedAgainItReplacesTheDefinition) {
  Case c = given(world());
  c.when(define({group_defined("g")})).then({group_defined("g")});
  const v1::Event newer = group_with([](Group& g) { g.set_order("lifo"); });
  c.when(define({newer})).then({newer});
  EXPECT_EQ(c.state().groups.find("g")->def.order(), "lifo");
}

TEST(Define, AllOrNothing) {
  Case c = given(world());
  c.when(define({domain_defined("d"), user_defined("-bob")})).then_refused("invalid-name");
  EXPECT_EQ(c.state().domains.find("d"), nullptr);
}

TEST(Define, RefusesNamesThatAreNone) {
  for (const auto& event : {group_defined("a b"), domain_defined(""), project_defined("default", "-p"),
                            user_defined("bob\n"), preset_defined("a/b", "cpu", kUnit)})
    expect_refused(event, "invalid-name");
}

TEST(Define, RefusesSlotTypesImagesAndKeyPairsThatLackAPart) {
  expect_refused(slot_type_registered("", SlotKind::kCount), "invalid-definition");
  expect_refused(slot_type_registered("npu", static_cast<SlotKind>(3)), "invalid-definition");
  expect_refused(slot_type_registered("npu", SlotKind::kCount, -1), "invalid-definition");
  expect_refused(image_from(""), "invalid-definition");
  expect_refused(key_pair_defined("", "alice"), "invalid-definition");
  expect_refused(key_pair_defined("k1", ""), "invalid-definition");
}

TEST(Define, RefusesImagesThatNobodyCouldFetch) {
  expect_defined(image_from("docker://registry.example/python:3.12"));
  for (const char* source :
       {"python:3.12", "dir:/etc", "oci:", "docker://", "containers-storage:x", "oci:/a\nb:1"})
    expect_refused(image_from(source), "invalid-definition");
  const auto with = [](const std::function<void(v1::ImageRegistered&)>& change) {
    v1::Event image = image_from("oci:/x:1");
    change(*image.mutable_image_registered());
    return image;
  };
  using I = v1::ImageRegistered;
  expect_defined(with([](I& i) { i.set_digest("sha256:" + std::string(64, 'a')); }));
  for (const std::string& digest :
       {std::string("latest"), "sha256:" + std::string(63, 'a'), "sha256:" + std::string(64, 'G')})
    expect_refused(with([&](I& i) { i.set_digest(digest); }), "invalid-definition");
  expect_refused(with([](I& i) { i.add_labels()->set_key("a\x1b"); }), "invalid-definition");
  expect_refused(with([](I& i) { i.add_labels()->set_value("\x1b[2J"); }), "invalid-definition");
  expect_refused(with([](I& i) { i.set_reference("a\x1b:1"); }), "invalid-definition");
}

v1::Event image_with_label(const std::string& key, const std::string& value) {
  v1::Event image = image_from("oci:/x:1");
  auto* label = image.mutable_image_registered()->add_labels();
  label->set_key(key);
  label->set_value(value);
  return image;
}

TEST(Define, RefusesLabelsThatBerthDoesNotUnderstand) {
  expect_defined(image_with_label("berth.apps", "desk:preopen:8080"));
  expect_defined(image_with_label("org.example.apps", "desk:preopen:nowhere"));
  for (const auto& [key, value] : {std::pair{"berth.apps", "desk:preopen:nowhere"},
                                   {"berth.apps", "desk:preopen:2200"},
                                   {"berth.app.desk.title", "of no app"},
                                   {"berth.min.mem", "much"},
                                   {"berth.min.cpu", "two"},
                                   {"berth.shm", "some"}})
    expect_refused(image_with_label(key, value), "image-label-invalid");
  expect_defined(image_with_label("berth.min.npu", "whatever"));  // of a slot that nobody registered
  v1::Event twice = image_with_label("berth.shm", "64m");
  *twice.mutable_image_registered()->add_labels() = twice.image_registered().labels(0);
  expect_refused(twice, "invalid-definition");
}

TEST(Define, RefusesPresetsOfUnknownSlotsOrAmountsOutOfRange) {
  expect_refused(preset_defined("small", "rocks", kUnit), "unknown-slot");
  expect_refused(preset_defined("small", "cpu", -1), "invalid-definition");
  expect_refused(preset_defined("small", "cpu", 0), "invalid-definition");
  expect_refused(preset_defined("small", "cpu", kAmountMax + 1), "invalid-definition");
  v1::Event negative_shm = preset_defined("small", "cpu", kUnit);
  negative_shm.mutable_preset_defined()->set_shm(-1);
  expect_refused(negative_shm, "invalid-definition");
}

// ---- groups ----

TEST(Define, TakesFairShareAndSelectionsThatLearn) {
  for (const char* select : {"fgd", "balanced", "ours"})
    expect_defined(group_with([select](Group& g) {
      g.set_order("fair-share");
      g.set_select(select);
    }));
}

TEST(Define, RefusesPoliciesThatDoNotExist) {
  expect_refused(group_with([](Group& g) { g.set_order("random"); }), "unknown-policy");
  expect_refused(group_with([](Group& g) { g.set_select("random"); }), "unknown-policy");
  expect_refused(group_with([](Group& g) { g.set_head_of_line("random"); }), "unknown-policy");
}

TEST(Define, AGroupsKernelsReachNothingOrRegistries) {
  for (const char* egress : {"", "none", "registries"})
    expect_defined(group_with([egress](Group& g) { g.set_egress(egress); }));
  for (const char* egress : {"all", "Registries", "none "})
    expect_refused(group_with([egress](Group& g) { g.set_egress(egress); }), "unknown-egress");
}

TEST(Define, RefusesCustomSelectionWithoutAName) {
  const auto custom = [](const std::string& name) {
    return group_with([&name](Group& g) {
      g.set_select("custom");
      g.set_custom(name);
    });
  };
  expect_refused(custom(""), "missing-policy");
  expect_refused(custom("../etc/passwd"), "invalid-definition");
  expect_defined(custom("roomy_memory"));
}

v1::Event fair_share_with(const std::function<void(v1::FairShare&)>& change) {
  return group_with([&change](Group& g) {
    g.set_order("fair-share");
    auto* weight = g.mutable_fair_share()->add_weights();
    weight->set_scope(v1::SCOPE_KIND_USER);
    weight->set_id("alice");
    weight->set_weight(kUnit / 2);
    change(*g.mutable_fair_share());
  });
}

TEST(Define, RefusesFairShareSettingsThatMeanNothing) {
  using F = v1::FairShare;
  expect_defined(fair_share_with([](F& f) {
    f.set_half_life_days(365);
    f.set_lookback_days(90);
  }));
  const std::string code = "invalid-fair-share";
  expect_refused(fair_share_with([](F& f) { f.set_half_life_days(-1); }), code);
  expect_refused(fair_share_with([](F& f) { f.set_half_life_days(366); }), code);
  expect_refused(fair_share_with([](F& f) { f.set_lookback_days(91); }), code);
  expect_refused(fair_share_with([](F& f) { f.add_slot_weights()->set_slot("cpu"); }), code);
  expect_refused(fair_share_with([](F& f) { f.mutable_weights(0)->set_weight(0); }), code);
  expect_refused(fair_share_with([](F& f) { f.mutable_weights(0)->set_id(""); }), code);
  expect_refused(fair_share_with([](F& f) { *f.add_weights() = v1::OwnerWeight(f.weights(0)); }), code);
  expect_refused(fair_share_with([](F& f) { f.mutable_weights(0)->set_weight(1'000'001 * kUnit); }), code);
  expect_refused(fair_share_with([](F& f) {
                   for (int i = 0; i < 1'000; ++i) {
                     auto* weight = f.add_weights();
                     *weight = f.weights(0);
                     weight->set_id("user" + std::to_string(i));
                   }
                 }),
                 code);
  expect_refused(
      fair_share_with([](F& f) { f.mutable_weights(0)->set_scope(value_of<v1::ScopeKind>("planet")); }),
      "unknown-scope");
}

v1::Event preemption_with(const std::function<void(v1::Preemption&)>& change) {
  return group_with([&change](Group& g) {
    g.mutable_preemption()->set_order("oldest");
    g.mutable_preemption()->set_mode("terminate");
    g.mutable_preemption()->set_scope(v1::SCOPE_KIND_USER);
    change(*g.mutable_preemption());
  });
}

TEST(Define, RefusesAPreemptionThatDoesNotExist) {
  using P = v1::Preemption;
  expect_defined(preemption_with([](P&) {}));
  expect_defined(preemption_with([](P& p) {
    p.set_order("newest");
    p.set_mode("reschedule");
    p.set_scope(v1::SCOPE_KIND_PROJECT);
  }));
  expect_refused(preemption_with([](P& p) { p.set_order("random"); }), "unknown-policy");
  expect_refused(preemption_with([](P& p) { p.set_mode("pause"); }), "unknown-policy");
  expect_refused(preemption_with([](P& p) { p.set_scope(value_of<v1::ScopeKind>("planet")); }),
                 "unknown-policy");
  expect_refused(preemption_with([](P& p) { p.set_min_runtime_ms(-1); }), "invalid-definition");
  const std::int64_t year_ms = 365 * kDay / kMillisecond;
  expect_defined(preemption_with([=](P& p) { p.set_min_runtime_ms(year_ms); }));
  expect_refused(preemption_with([=](P& p) { p.set_min_runtime_ms(year_ms + 1); }), "invalid-definition");
}

v1::Event device_policy(const std::string& slot, const std::string& spread, Amount quantum = 0) {
  return group_with([&](Group& g) {
    auto* device = g.add_devices();
    device->set_slot(slot);
    device->set_spread(spread);
    device->set_quantum(quantum);
  });
}

v1::Event exclusive_slots(const std::vector<std::string>& slots) {
  return group_with([&](Group& g) {
    auto* set = g.add_exclusive();
    for (const auto& slot : slots) set->add_slots(slot);
  });
}

TEST(Define, RefusesDevicesAndExclusiveSlotsThatAreNone) {
  expect_defined(device_policy("cuda.shares", "even", kUnit / 10));
  expect_refused(device_policy("rocks", "even"), "unknown-slot");
  expect_refused(device_policy("cuda.shares", "random"), "unknown-policy");
  expect_refused(device_policy("cuda.shares", "fill", -1), "invalid-definition");
  expect_defined(exclusive_slots({"cuda.device", "cuda.shares"}));
  expect_refused(exclusive_slots({"cuda.device"}), "invalid-definition");
  expect_refused(exclusive_slots({"cuda.device", "rocks"}), "unknown-slot");
  v1::Event many = exclusive_slots({"cuda.device", "cuda.shares"});
  auto* group = many.mutable_resource_group_defined();
  for (int i = 0; i < 16; ++i) *group->add_exclusive() = v1::SlotSet(group->exclusive(0));
  expect_refused(many, "invalid-definition");
}

TEST(Define, RefusesPrioritiesAndWeightsOfSlotsThatAreNone) {
  for (const char* known : {"cpu", "cuda", "cuda.shares", "rocm"})
    expect_defined(group_with([&](Group& g) { g.add_slot_priority(known); }));
  expect_refused(group_with([](Group& g) { g.add_slot_priority("cud"); }), "unknown-slot");
  const auto weight_of = [](const char* slot) {
    return fair_share_with([slot](v1::FairShare& f) {
      f.add_slot_weights()->set_slot(slot);
      f.mutable_slot_weights(0)->set_amount(kUnit);
    });
  };
  expect_defined(weight_of("cuda"));
  expect_refused(weight_of("rocks"), "unknown-slot");
}

TEST(Define, RefusesMoreAttemptsThanAnybodyCouldWaitFor) {
  expect_defined(group_with([](Group& g) { g.set_max_attempts(1'000); }));
  expect_refused(group_with([](Group& g) { g.set_max_attempts(1'001); }), "invalid-definition");
}

TEST(Define, AGroupMayNameASlotOfTheSameRequest) {
  const Events both = {slot_type_registered("npu", SlotKind::kCount),
                       exclusive_slots({"cuda.device", "npu"})};
  given(world()).when(define(both)).then(both);
}

v1::Event open_to(const std::string& scope, const std::string& id) {
  return group_with([&](Group& g) {
    g.add_open_to()->set_scope(value_of<v1::ScopeKind>(scope));
    g.mutable_open_to(0)->set_id(id);
  });
}

TEST(Define, AGroupIsOpenToWhoExistsOrIsDefinedWithIt) {
  for (const auto& [scope, id] : {std::pair{"domain", "defualt"}, std::pair{"project", "default/x"},
                                  std::pair{"project", "default"}, std::pair{"user", "alise"}})
    expect_refused(open_to(scope, id), "unknown-owner");
  for (const auto& [scope, id] :
       {std::pair{"domain", "default"}, std::pair{"project", "default/default"}, std::pair{"user", "alice"}})
    expect_defined(open_to(scope, id));
  const Events both = {open_to("user", "zoe"), user_defined("zoe")};
  given(world()).when(define(both)).then(both);
}

TEST(Define, AGroupThatIsOpenToWhoWasRemovedIsChangedAllTheSame) {
  const v1::Event open = open_to("user", "bob");
  given(world() + Events{open, definition_removed("user", "bob")}).when(define({open})).then({open});
}

TEST(Define, RefusesNegativeTimesAndSizesAndSlotsWithoutAName) {
  expect_refused(group_with([](Group& g) { g.set_pending_timeout_ms(-1); }), "invalid-definition");
  expect_refused(group_with([](Group& g) { g.set_shm(-1); }), "invalid-definition");
  expect_refused(group_with([](Group& g) { g.add_slot_priority(""); }), "invalid-definition");
}

TEST(Define, S3_RefusesABoundOnDiskThatNoFileSystemCanHave) {
  expect_defined(group_with([](Group& g) { g.set_disk(16 << 20); }));
  expect_refused(group_with([](Group& g) { g.set_disk(-1); }), "invalid-definition");
  expect_refused(group_with([](Group& g) { g.set_disk((16 << 20) - 1); }), "invalid-definition");
  expect_defined(group_with([](Group& g) { g.set_disk(Amount{64} << 40); }));
  expect_refused(group_with([](Group& g) { g.set_disk((Amount{64} << 40) + 1); }), "invalid-definition");
}

}  // namespace
}  // namespace berth::testing::decisions
