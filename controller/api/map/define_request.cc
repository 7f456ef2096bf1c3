#include "controller/api/map/define_request.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "controller/api/map/json_reader.h"
#include "events/base/generation.h"
#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/base/name.h"
#include "events/base/plain_text.h"
#include "events/base/slots/slot_name.h"
#include "events/codec/words/enum_words.h"
#include "projections/image_source.h"
#include "projections/tables/day_usage_table.h"
#include "projections/tables/image_bounds.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kLabelsMax = 256;

std::string key_text(const json::key_value_pair& member) {
  return std::string(member.key().data(), member.key().size());
}

bool is_reference(std::string_view text) {
  if (text.empty() || !is_valid_name(text.substr(0, 1))) return false;
  for (const char c : text)
    if (c <= ' ' || c == '\x7f' || static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

// What an owner of that scope can be named; of another scope anything, which the decision refuses.
bool is_owner(v1::ScopeKind scope, std::string_view id) {
  const auto slash = id.find('/');
  if (scope != v1::SCOPE_KIND_PROJECT) return is_valid_name(id);
  return slash != std::string_view::npos && is_valid_name(id.substr(0, slash)) &&
         is_valid_name(id.substr(slash + 1));
}

void read_head_of_line(ObjectReader& in, v1::ResourceGroupDefined& group) {
  group.set_head_of_line("strict");
  const json::object* policy = in.object("head_of_line");
  if (policy == nullptr) return;
  ObjectReader inner(*policy, in.place_of("head_of_line"), in.errors());
  if (const auto name = inner.text("policy", kTextMax)) group.set_head_of_line(*name);
  if (const auto n = inner.integer("n", 0, 1'000'000)) group.set_skip_after(static_cast<std::uint32_t>(*n));
  inner.finish();
}

void read_preemption(ObjectReader& in, v1::ResourceGroupDefined& group) {
  const json::object* preemption = in.object("preemption");
  if (preemption == nullptr) return;
  ObjectReader inner(*preemption, in.place_of("preemption"), in.errors());
  v1::Preemption& out = *group.mutable_preemption();
  out.set_enabled(inner.boolean("enabled").value_or(false));
  out.set_order(inner.text("order", kTextMax).value_or("oldest"));
  out.set_mode(inner.text("mode", kTextMax).value_or("terminate"));
  const UnknownWord unknown{"unknown-policy", "preemption scope ", " does not exist",
                            "berth group set --help names what there is"};
  out.set_scope(inner.word<v1::ScopeKind>("scope", unknown).value_or(v1::SCOPE_KIND_USER));
  if (const auto runtime = inner.duration_ms("min_runtime")) out.set_min_runtime_ms(*runtime);
  inner.finish();
}

void read_devices(ObjectReader& in, const SlotKinds& kinds, v1::ResourceGroupDefined& group) {
  const json::object* devices = in.object("devices");
  if (devices == nullptr) return;
  for (const auto& member : *devices) {
    const std::string slot = key_text(member), place = in.place_of("devices") + "." + clipped(slot);
    if (!kinds.knows(slot)) {
      in.errors().add("unknown-slot", place, "no slot type is named '" + clipped(slot) + "'",
                      kinds.known_names());
      continue;
    }
    if (!member.value().is_object()) {
      in.errors().add("invalid-value", place, "must be an object");
      continue;
    }
    ObjectReader inner(member.value().get_object(), place, in.errors());
    v1::DevicePolicy& policy = *group.add_devices();
    policy.set_slot(slot);
    policy.set_spread(inner.text("spread", kTextMax).value_or("even"));
    if (const json::value* quantum = inner.raw("quantum")) {
      const auto amount = amount_of(kinds.kind_of(slot), *quantum);
      if (amount.ok())
        policy.set_quantum(*amount);
      else
        inner.fail(amount.error().code, "quantum", amount.error().message, amount.error().hint);
    }
    policy.set_allow_fragments(inner.boolean("allow_fragments").value_or(false));
    inner.finish();
  }
}

// "cpu": "1", "user:alice": "2".
template <class Add> void read_weights(ObjectReader& in, const char* name, Add add) {
  const json::object* weights = in.object(name);
  if (weights == nullptr) return;
  for (const auto& member : *weights) {
    const auto weight = amount_of(SlotKind::kCount, member.value());
    if (weight.ok())
      add(key_text(member), *weight);
    else
      in.errors().add(weight.error().code, in.place_of(name) + "." + clipped(key_text(member)),
                      weight.error().message, weight.error().hint);
  }
}

constexpr const char* kUsualPriority[] = {"cuda", "rocm", "tpu", "cpu", "mem"};

// The usual ones need not be on any agent yet.
void check_slot_or_device(const SlotKinds& kinds, const std::string& name, const std::string& place,
                          Errors& errors) {
  if (kinds.knows_slot_or_device(name) ||
      std::find(std::begin(kUsualPriority), std::end(kUsualPriority), name) != std::end(kUsualPriority))
    return;
  errors.add("unknown-slot", place, "no slot type is named '" + clipped(name) + "'", kinds.known_names());
}

void read_slot_priority(ObjectReader& in, const SlotKinds& kinds, v1::ResourceGroupDefined& group) {
  const json::array* priority = in.array("slot_priority", 64);
  if (priority == nullptr) {
    for (const char* slot : kUsualPriority) group.add_slot_priority(slot);
    return;
  }
  const std::string place = in.place_of("slot_priority");
  for (std::string& slot : texts_of(*priority, place, 64, in.errors())) {
    check_slot_or_device(kinds, slot, place, in.errors());
    group.add_slot_priority(std::move(slot));
  }
}

void read_fair_share(ObjectReader& in, const SlotKinds& kinds, v1::ResourceGroupDefined& group) {
  const json::object* settings = in.object("fair_share");
  if (settings == nullptr) return;
  ObjectReader inner(*settings, in.place_of("fair_share"), in.errors());
  v1::FairShare& share = *group.mutable_fair_share();
  share.set_half_life_days(static_cast<std::int32_t>(inner.integer("half_life_days", 1, 365).value_or(0)));
  share.set_lookback_days(
      static_cast<std::int32_t>(inner.integer("lookback_days", 1, projections::kUsageKeptDays).value_or(0)));
  read_weights(inner, "slot_weights", [&](const std::string& slot, Amount weight) {
    check_slot_or_device(kinds, slot, inner.place_of("slot_weights") + "." + clipped(slot), in.errors());
    v1::SlotAmount& added = *share.add_slot_weights();
    added.set_slot(slot);
    added.set_amount(weight);
  });
  read_weights(inner, "weights", [&](const std::string& whose, Amount weight) {
    const auto colon = whose.find(':');
    const std::string id = colon == std::string::npos ? "" : whose.substr(colon + 1);
    v1::OwnerWeight& added = *share.add_weights();
    const auto scope = from_word<v1::ScopeKind>(whose.substr(0, colon));
    added.set_scope(scope.value_or(v1::SCOPE_KIND_UNSPECIFIED));
    added.set_id(id);
    if (!is_owner(added.scope(), id))
      inner.fail("invalid-value", "weights", "'" + clipped(whose) + "' is not SCOPE:ID",
                 "like user:alice or project:default/web");
    else if (!scope)
      inner.fail("unknown-scope", "weights", "there is no scope '" + clipped(whose.substr(0, colon)) + "'",
                 "domain, project or user");
    added.set_weight(weight);
  });
  inner.finish();
}

void read_exclusive(ObjectReader& in, const SlotKinds& kinds, v1::ResourceGroupDefined& group,
                    Errors& errors) {
  const json::array* sets = in.array("exclusive_slots", 16);
  if (sets == nullptr) return;
  for (std::size_t i = 0; i < sets->size(); ++i) {
    const std::string place = in.place_of("exclusive_slots") + "[" + std::to_string(i) + "]";
    const json::array* names = (*sets)[i].if_array();
    if (names == nullptr) {
      errors.add("wrong-type", place, "is no list of slots",
                 R"(like [["cuda.shares", "cuda.device:mig-1g"]])");
      continue;
    }
    v1::SlotSet* set = group.add_exclusive();
    for (std::string& slot : texts_of(*names, place, 64, errors)) {
      if (!kinds.knows(slot))
        errors.add("unknown-slot", place, "no slot type is named '" + clipped(slot) + "'",
                   kinds.known_names());
      set->add_slots(std::move(slot));
    }
  }
}

// 0 where nothing is said.
Amount read_bytes(ObjectReader& in, const char* name, Amount min, Amount max, const char* hint) {
  const json::value* said = in.raw(name);
  if (said == nullptr) return 0;
  const auto amount = amount_of(SlotKind::kBytes, *said);
  if (!amount.ok())
    in.fail(amount.error().code, name, amount.error().message, amount.error().hint);
  else if (*amount < min || *amount > max)
    in.fail("invalid-value", name, std::to_string(*amount) + " bytes are out of range", hint);
  else
    return *amount;
  return 0;
}

void read_labels(ObjectReader& in, v1::ImageRegistered& image) {
  const json::object* labels = in.object("labels");
  if (labels == nullptr) return;
  if (labels->size() > kLabelsMax)
    return in.fail("invalid-value", "labels", "has more than " + std::to_string(kLabelsMax) + " labels");
  const std::string place = in.place_of("labels");
  for (auto& [key, value] : text_pairs_of(*labels, place, kTextMax, in.errors())) {
    if (has_control_character(key) || has_control_character(value))
      in.errors().add("invalid-value", place + "." + clipped(key), "has a control character",
                      "plain text alone");
    v1::KeyValue* label = image.add_labels();
    label->set_key(std::move(key));
    label->set_value(std::move(value));
  }
}

void check_reference(const std::string& reference, Errors& errors) {
  if (!is_reference(reference))
    errors.add("invalid-value", "reference", "'" + clipped(reference) + "' is no image reference",
               "name:tag, like python:3.11");
}

}  // namespace

v1::ImageRegistered read_image(const json::object& body, Errors& errors) {
  ObjectReader in(body, "", errors);
  v1::ImageRegistered image;
  const auto reference = in.text("reference", projections::kImageReferenceMax),
             source = in.text("source", kTextMax);
  in.require("reference", reference.has_value());
  in.require("source", source.has_value());
  if (reference) check_reference(*reference, errors);
  if (source && (!projections::is_image_source(*source) || has_control_character(*source)))
    in.fail("invalid-value", "source", "'" + clipped(*source) + "' is no source of an image",
            projections::kSourceHint);
  image.set_reference(reference.value_or(""));
  image.set_source(source.value_or(""));
  image.set_digest(in.text("digest", 256).value_or(""));
  if (!image.digest().empty() && !projections::is_image_digest(image.digest()))
    in.fail("invalid-value", "digest", "'" + clipped(image.digest()) + "' is no digest",
            projections::kDigestHint);
  image.set_architecture(in.raw("architecture") != nullptr ? in.name_or_none("architecture") : "x86_64");
  read_labels(in, image);
  in.finish();
  return image;
}

v1::ImageBuildChanged read_image_build(const std::string& reference, const json::object& body,
                                       Errors& errors) {
  ObjectReader in(body, "", errors);
  v1::ImageBuildChanged build;
  check_reference(reference, errors);
  build.set_reference(reference);
  const auto percent = in.integer("percent", 0, 100);
  const auto failed = in.text("failed", projections::kBuildMessageMax);
  if (percent.has_value() == failed.has_value())
    errors.add("missing-field", "percent", "either percent or failed is said",
               R"({"percent": 43} or {"failed": "why"})");
  build.set_percent(static_cast<std::uint32_t>(percent.value_or(0)));
  build.set_failed(failed.has_value());
  build.set_message(failed.value_or(""));
  if (failed && failed->empty()) in.fail("invalid-value", "failed", "says nothing", "why the build failed");
  build.set_step(in.text("step", projections::kBuildStepMax).value_or(""));
  build.set_builder(in.text("builder", kNameMax).value_or(""));
  for (const auto& [name, text] :
       {std::pair{"failed", &build.message()}, {"step", &build.step()}, {"builder", &build.builder()}})
    if (has_control_character(*text))
      in.fail("invalid-value", name, "has a control character", "plain text alone");
  in.finish();
  return build;
}

namespace {

// Absent and [] are everybody. The decision refuses scopes that no group is open to.
void read_open_to(ObjectReader& in, v1::ResourceGroupDefined& group) {
  const json::array* all = in.array("open_to", 256);
  if (all == nullptr) return;
  const UnknownWord unknown{"unknown-scope", "a group is open to no ", "", "domain, project or user"};
  for (std::size_t i = 0; i < all->size(); ++i) {
    const std::string place = in.place_of("open_to") + "[" + std::to_string(i) + "]";
    const json::object* one = (*all)[i].if_object();
    if (one == nullptr) {
      in.errors().add("wrong-type", place, "must be an object",
                      R"({"scope": "project", "id": "DOMAIN/NAME"})");
      continue;
    }
    ObjectReader inner(*one, place, in.errors());
    auto* to = group.add_open_to();
    to->set_scope(inner.required_word<v1::ScopeKind>("scope", unknown));
    const auto id = inner.text("id", 2 * kNameMax + 1);
    inner.require("id", id.has_value());
    inner.finish();
    to->set_id(id.value_or(""));
    if (has_word(to->scope()) && id && !is_owner(to->scope(), to->id()))
      inner.fail("invalid-value", "id", "'" + clipped(*id) + "' is no " + word(to->scope()),
                 "a name; of a project DOMAIN/NAME");
  }
}

std::string word_or(ObjectReader& in, const char* name, const char* otherwise) {
  const auto text = in.text(name, kTextMax);
  if (text && text->empty())
    in.fail("invalid-value", name, "is empty", std::string("leave it away for ") + otherwise);
  return text.value_or(otherwise);
}

}  // namespace

v1::ResourceGroupDefined read_group(const json::object& body, const SlotKinds& kinds, Errors& errors) {
  ObjectReader in(body, "", errors);
  v1::ResourceGroupDefined group;
  const auto name = in.name("name");
  in.require("name", name.has_value());
  group.set_name(name.value_or(""));
  group.set_order(in.text("order", kTextMax).value_or("fifo"));
  read_head_of_line(in, group);
  group.set_impossible(word_or(in, "impossible", "block"));
  group.set_select(in.text("select", kTextMax).value_or("concentrated"));
  group.set_custom(in.name_or_none("custom"));
  read_slot_priority(in, kinds, group);
  read_devices(in, kinds, group);
  read_exclusive(in, kinds, group, errors);
  read_preemption(in, group);
  read_fair_share(in, kinds, group);
  read_open_to(in, group);
  group.set_egress(word_or(in, "egress", "none"));
  if (const auto timeout = in.duration_ms("pending_timeout")) group.set_pending_timeout_ms(*timeout);
  group.set_max_attempts(static_cast<std::uint32_t>(in.integer("max_attempts", 1, 1000).value_or(5)));
  group.set_shm(read_bytes(in, "shm", 1, kAmountMax, "more than 0, like 64m; null leaves it to Berth"));
  group.set_disk(read_bytes(in, "disk", kDiskMin, kDiskMax, "16m to 64t; null leaves it to Berth"));
  in.finish();
  return group;
}

std::uint32_t read_generation(const json::object& body, Errors& errors) {
  ObjectReader in(body, "", errors);
  const auto generation = in.integer("generation", 1, kGenerationEnd - 1);
  in.finish();
  return static_cast<std::uint32_t>(generation.value_or(0));
}

TokenHash read_token(const json::object& body, Timestamp now, Timestamp latest, Errors& errors) {
  ObjectReader in(body, "", errors);
  const auto digits = in.text("token_hash", 2 * sizeof(Hash128));
  in.require("token_hash", digits.has_value());
  const auto expires = in.time("expires_at");
  in.require("expires_at", expires.has_value());
  in.finish();
  TokenHash token{from_hex(digits.value_or("")).value_or(""), expires.value_or(0)};
  if (digits && token.hash.size() != sizeof(Hash128))
    in.fail("invalid-value", "token_hash", "must be 32 hex digits", "BLAKE2b-128 of the token's text");
  if (expires && (token.expires <= now || token.expires > latest))
    in.fail("invalid-value", "expires_at", "must be in the next hour", "15 minutes are enough");
  return token;
}

std::string read_subject(const json::object& body, Errors& errors) {
  ObjectReader in(body, "", errors);
  const auto subject = in.text("subject", 300);
  if (!subject) errors.add("missing-field", "subject", "says what to release");
  in.finish();
  return subject.value_or("");
}

void read_nothing(const json::object& body, Errors& errors) { ObjectReader(body, "", errors).finish(); }

}  // namespace berth::controller::api
