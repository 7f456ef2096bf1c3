#include <algorithm>
#include <map>
#include <set>

#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "controller/decide/keeping/check_sealed.h"
#include "controller/decide/name_retired.h"
#include "controller/placement/types.h"
#include "events/base/plain_text.h"
#include "events/base/slots/slot_name.h"
#include "events/base/text.h"
#include "events/codec/image_labels.h"
#include "events/codec/words/enum_words.h"
#include "projections/image_source.h"
#include "projections/subjects.h"
#include "projections/tables/image_bounds.h"
#include "projections/tables/session_bounds.h"

namespace berth::controller {
namespace {

constexpr std::int64_t kMinRuntimeMax = 365ll * 24 * 3600 * 1000;  // ms
constexpr std::uint32_t kMaxAttemptsMax = 1'000;

std::optional<Refusal> bad(std::string message, std::string hint = "") {
  return Refusal{"invalid-definition", std::move(message), std::move(hint)};
}

// Of the state, or of this very request.
struct Slots {
  const projections::State& state;
  const v1::Define& define;

  std::optional<Refusal> check(const std::string& slot) const {
    if (state.slot_types.find(slot) != nullptr) return std::nullopt;
    for (const auto& type : define.slot_types())
      if (type.name() == slot) return std::nullopt;
    return unknown(slot);
  }
  // Nothing where no slot type has that name.
  std::optional<SlotKind> kind_of(const std::string& slot) const {
    for (const auto& type : define.slot_types())
      if (type.name() == slot) return static_cast<SlotKind>(type.kind());
    const auto* row = state.slot_types.find(slot);
    return row == nullptr ? std::nullopt : std::optional(static_cast<SlotKind>(row->def.kind()));
  }
  // A slot, or the device that several are parts of. Those that a group has unless it says otherwise need not
  // be on any agent yet.
  std::optional<Refusal> check_slot_or_device(const std::string& name) const {
    const auto stands_for = [&name](const std::string& slot) {
      return slot == name || slot.starts_with(name + ".");
    };
    bool found = false;
    state.slot_types.for_each_unordered(
        [&](const projections::SlotTypeRow& row) { found = found || stands_for(row.def.name()); });
    for (const auto& type : define.slot_types()) found = found || stands_for(type.name());
    const auto usual = placement::GroupPolicy().slot_priority;
    if (found || std::find(usual.begin(), usual.end(), name) != usual.end()) return std::nullopt;
    return unknown(name);
  }

 private:
  static std::optional<Refusal> unknown(const std::string& slot) {
    return Refusal{"unknown-slot", "no slot type is named '" + clipped(slot) + "'",
                   "berth resource lists them"};
  }
};

// `parse` is the scheduler's own, so that a policy which it learns is known here at once.
template <class Policy>
std::optional<Refusal> check_policy(const char* what, const std::string& name,
                                    bool (*parse)(std::string_view, Policy*)) {
  Policy policy{};
  if (parse(name, &policy)) return std::nullopt;
  return Refusal{"unknown-policy", std::string(what) + " '" + clipped(name) + "' does not exist",
                 "berth group set --help names what there is"};
}

constexpr std::int32_t kHalfLifeMax = 365;
constexpr int kWeightsMax = 1'000;
constexpr Amount kWeightMax = 1'000'000 * kUnit;

std::optional<Refusal> bad_share(std::string message) {
  return Refusal{"invalid-fair-share", std::move(message), ""};
}

std::optional<Refusal> check_weight(const std::string& whose, Amount weight) {
  if (weight > 0 && weight <= kWeightMax) return std::nullopt;
  return bad_share("the weight of " + clipped(whose, 160) + " is not above 0 and up to 1000000");
}

// 0 stands for the default.
std::optional<Refusal> check(const Slots& slots, const v1::FairShare& share) {
  if (share.half_life_days() < 0 || share.half_life_days() > kHalfLifeMax)
    return bad_share("a half-life is 1 to 365 days");
  if (share.lookback_days() < 0 || share.lookback_days() > projections::kUsageKeptDays)
    return bad_share("a lookback is 1 to " + std::to_string(projections::kUsageKeptDays) + " days");
  if (share.slot_weights_size() > kWeightsMax || share.weights_size() > kWeightsMax)
    return bad_share("more than 1000 weights");
  for (const auto& weight : share.slot_weights()) {
    if (weight.slot().empty() || weight.slot().size() > 64)
      return bad_share("a weight without the name of a slot or device");
    if (auto r = slots.check_slot_or_device(weight.slot())) return r;
    if (auto r = check_weight(weight.slot(), weight.amount())) return r;
  }
  std::set<std::string> seen;
  for (const auto& weight : share.weights()) {
    if (!projections::is_group_scope(weight.scope()))
      return Refusal{"unknown-scope", "there is no scope '" + word(weight.scope()) + "'",
                     "domain, project or user"};
    if (weight.id().empty() || weight.id().size() > 256) return bad_share("a weight without whose it is");
    const std::string whose = word(weight.scope()) + ":" + weight.id();
    if (!seen.insert(whose).second) return bad_share(whose + " has two weights");
    if (auto r = check_weight(whose, weight.weight())) return r;
  }
  return std::nullopt;
}

std::optional<Refusal> check(const v1::Preemption& p) {
  if (auto r = check_policy("preemption order", p.order(), placement::parse_preempt_order)) return r;
  if (auto r = check_policy("preemption mode", p.mode(), placement::parse_preempt_mode)) return r;
  if (auto r = check_policy("preemption scope", word(p.scope()), placement::parse_preempt_scope)) return r;
  if (p.min_runtime_ms() < 0 || p.min_runtime_ms() > kMinRuntimeMax)
    return bad("the preemption's least runtime is out of range");
  return std::nullopt;
}

constexpr int kOpenToMax = 256;

std::optional<Refusal> check_open_to(const v1::ResourceGroupDefined& g) {
  if (g.open_to_size() > kOpenToMax) return bad("a group is open to more than 256");
  for (const auto& to : g.open_to()) {
    if (!projections::is_group_scope(to.scope()))
      return Refusal{"unknown-scope", "a group is open to no '" + word(to.scope()) + "'",
                     "domain, project or user"};
    if (to.id().empty() || to.id().size() > 2 * kNameMax + 1)
      return bad("a group is open to somebody without a name");
  }
  return std::nullopt;
}

std::optional<Refusal> check(const Slots& slots, const v1::ResourceGroupDefined& g) {
  if (auto r = check_policy("order", g.order(), placement::parse_order)) return r;
  if (auto r = check_policy("selection", g.select(), placement::parse_select)) return r;
  if (auto r = check_policy("head-of-line policy", g.head_of_line(), placement::parse_head_of_line)) return r;
  if (g.has_preemption())
    if (auto r = check(g.preemption())) return r;
  if (auto r = check(slots, g.fair_share())) return r;
  if (g.select() == "custom" && g.custom().empty())
    return Refusal{"missing-policy", "selection 'custom' needs the name of a policy",
                   "berth group set NAME --select custom --custom POLICY"};
  if (!g.custom().empty() && !is_valid_name(g.custom())) return bad("a selection policy has no valid name");
  for (const auto& d : g.devices()) {
    if (auto r = check_policy("spread", d.spread(), placement::parse_spread)) return r;
    if (auto r = slots.check(d.slot())) return r;
    if (d.quantum() < 0) return bad("a negative quantum");
  }
  for (const auto& set : g.exclusive()) {
    if (set.slots_size() < 2 || set.slots_size() > 64)
      return bad("a set of exclusive slots has 2 to 64 of them");
    for (const auto& slot : set.slots())
      if (auto r = slots.check(slot)) return r;
  }
  if (g.exclusive_size() > 16) return bad("more than 16 sets of exclusive slots");
  for (const auto& slot : g.slot_priority()) {
    if (slot.empty() || slot.size() > 64) return bad("a slot of the priority list has no valid name");
    if (auto r = slots.check_slot_or_device(slot)) return r;
  }
  if (g.pending_timeout_ms() < 0 || g.shm() < 0 || g.shm() > kAmountMax)
    return bad("a pending timeout or shm that is negative or too large");
  if (g.max_attempts() > kMaxAttemptsMax) return bad("more than 1000 attempts", "1 to 1000");
  if (g.disk() != 0 && (g.disk() < kDiskMin || g.disk() > kDiskMax))
    return bad("a bound of " + std::to_string(g.disk()) + " bytes on a kernel's disk", "16m to 64t, or none");
  if (auto r = check_open_to(g)) return r;
  if (!g.impossible().empty() && g.impossible() != "skip" && g.impossible() != "block")
    return Refusal{"unknown-policy",
                   "what is impossible is skipped or blocks, and not '" + clipped(g.impossible()) + "'",
                   "skip or block"};
  if (!g.egress().empty() && g.egress() != "none" && g.egress() != "registries")
    return Refusal{"unknown-egress", "kernels of a group reach no '" + clipped(g.egress()) + "'",
                   "none or registries"};
  if (g.pending_timeout_ms() > projections::kSpecTimeMaxMs) return bad("a pending timeout out of range");
  return std::nullopt;
}

template <class List> std::optional<Refusal> check_names(const List& list, const char* what) {
  for (const auto& item : list)
    if (!is_valid_name(item.name()))
      return Refusal{"invalid-name", std::string("a ") + what + " has no valid name", ""};
  return std::nullopt;
}

std::optional<Refusal> check(const Slots& slots, const v1::PresetDefined& preset) {
  for (const auto& slot : preset.slots()) {
    if (auto r = slots.check(slot.slot())) return r;
    if (slot.amount() <= 0 || slot.amount() > kAmountMax)
      return bad("preset " + preset.name() + ": " + slot.slot() + " is out of range",
                 "more than 0; leave out what it does not ask for");
  }
  if (preset.shm() < 0 || preset.shm() > kAmountMax)
    return bad("preset " + preset.name() + ": shm is out of range");
  return std::nullopt;
}

constexpr std::size_t kSourceMax = 4096;  // bytes, as the next one
constexpr std::size_t kLabelKeyMax = 256;
constexpr int kLabelsMax = 256;

// Of a slot that nobody registered anything may be said: it is passed over (BEHAVIOURS S13.5).
std::optional<Refusal> check_minimum(const Slots& slots, const v1::ImageRegistered& image,
                                     const std::string& label, const std::string& value) {
  constexpr std::string_view kMinimum = "berth.min.";
  if (!label.starts_with(kMinimum) && label != "berth.shm") return std::nullopt;
  const auto kind = slots.kind_of(label == "berth.shm" ? "mem" : label.substr(kMinimum.size()));
  if (!kind || parse_amount(*kind, value).ok()) return std::nullopt;
  return Refusal{
      "image-label-invalid",
      "image " + image.reference() + ": label " + label + ": '" + clipped(value) + "' is no amount",
      *kind == SlotKind::kBytes ? "as 512m or 2g" : "as 2 or 0.5"};
}

// What they say of Berth must be understood here, once, and not by everybody who reads them later.
std::optional<Refusal> check_labels(const Slots& slots, const v1::ImageRegistered& image) {
  std::map<std::string, std::string> labels;
  for (const auto& label : image.labels())
    if (!labels.emplace(label.key(), label.value()).second)
      return bad("image " + image.reference() + " has label " + clipped(label.key()) + " twice");
  for (const auto& [name, value] : labels)
    if (auto r = check_minimum(slots, image, name, value)) return r;
  const auto parsed = parse_image_labels(labels);
  if (parsed.ok()) return std::nullopt;
  return Refusal{parsed.error().code, "image " + image.reference() + ": " + parsed.error().message,
                 parsed.error().hint};
}

std::optional<Refusal> check(const Slots& slots, const v1::ImageRegistered& image) {
  if (image.reference().empty() || image.reference().size() > projections::kImageReferenceMax ||
      image.source().empty() || image.source().size() > kSourceMax)
    return bad("an image needs a reference and a source");
  if (has_control_character(image.reference()) || has_control_character(image.source()))
    return bad("a control character in the reference or source of an image");
  if (!projections::is_image_source(image.source()))
    return bad("'" + clipped(image.source()) + "' is no source of an image", projections::kSourceHint);
  if (!image.digest().empty() && !projections::is_image_digest(image.digest()))
    return bad("'" + clipped(image.digest()) + "' is no digest", projections::kDigestHint);
  if (image.digest().size() > projections::kImageReferenceMax || image.architecture().size() > kNameMax)
    return bad("the digest or architecture of image " + image.reference() + " is too long");
  if (image.labels_size() > kLabelsMax)
    return bad("image " + image.reference() + " has more than " + std::to_string(kLabelsMax) + " labels");
  for (const auto& label : image.labels())
    if (label.key().size() > kLabelKeyMax || label.value().size() > kSourceMax ||
        has_control_character(label.key()) || has_control_character(label.value()))
      return bad("a label of image " + image.reference() + " is too long or has a control character",
                 "256 bytes for its name, 4096 for its value");
  return check_labels(slots, image);
}

std::optional<Refusal> check(const v1::UserDefined& user) {
  if (user.domain().size() > kNameMax) return bad("the domain of user " + user.name() + " is too long");
  if (!has_word(user.role()))
    return Refusal{"unknown-role", "there is no role '" + word(user.role()) + "'",
                   "user, monitor, domain-admin or superadmin"};
  for (const auto& project : user.projects())
    if (project.size() > kNameMax) return bad("a project of user " + user.name() + " is too long");
  for (const auto& project : user.admin_of())
    if (std::find(user.projects().begin(), user.projects().end(), project) == user.projects().end())
      return bad("user " + user.name() + " administers a project without being in it");
  return std::nullopt;
}

// Whether a domain, project or user is in the state, or defined by this very request before what names it.
class Owners {
 public:
  Owners(const projections::State& state, const v1::Define& define) : state_(state), define_(define) {}

  std::optional<Refusal> check() const {
    for (const auto& project : define_.projects())
      if (!has_domain(project.domain())) return unknown("domain", project.domain());
    for (const auto& user : define_.users()) {
      if (!has_domain(user.domain())) return unknown("domain", user.domain());
      for (const auto& project : user.projects())
        if (!has_project(user.domain(), project)) return unknown("project", user.domain() + "/" + project);
    }
    for (const auto& key : define_.key_pairs())
      if (!has_user(key.user())) return unknown("user", key.user());
    for (const auto& group : define_.groups())
      for (const auto& to : group.open_to())
        if (!has(to) && !is_open_already(group.name(), to))
          return Refusal{"unknown-owner", "there is no " + word(to.scope()) + " '" + clipped(to.id()) + "'",
                         "a group that is open to a name that is misspelt is closed to whom it is meant for"};
    return std::nullopt;
  }

 private:
  static Refusal unknown(const std::string& kind, const std::string& name) {
    return {Code::told("unknown-" + kind), "no " + kind + " is named '" + clipped(name, 160) + "'", ""};
  }
  bool has(const v1::Scope& to) const {
    if (to.scope() == v1::SCOPE_KIND_DOMAIN) return has_domain(to.id());
    if (to.scope() == v1::SCOPE_KIND_USER) return has_user(to.id());
    const std::size_t slash = to.id().find('/');
    return slash != std::string::npos && has_project(to.id().substr(0, slash), to.id().substr(slash + 1));
  }
  // Whom it was open to may have been removed since; the group is changed all the same.
  bool is_open_already(const std::string& name, const v1::Scope& to) const {
    const auto* group = state_.groups.find(name);
    return group != nullptr && std::ranges::any_of(group->def.open_to(), [&](const v1::Scope& known) {
             return known.scope() == to.scope() && known.id() == to.id();
           });
  }
  bool has_domain(const std::string& name) const {
    return state_.domains.find(name) != nullptr ||
           std::any_of(define_.domains().begin(), define_.domains().end(),
                       [&](const auto& domain) { return domain.name() == name; });
  }
  bool has_project(const std::string& domain, const std::string& name) const {
    return state_.projects.find(domain + "/" + name) != nullptr ||
           std::any_of(define_.projects().begin(), define_.projects().end(), [&](const auto& project) {
             return project.domain() == domain && project.name() == name;
           });
  }
  bool has_user(const std::string& name) const {
    return state_.users.find(name) != nullptr ||
           std::any_of(define_.users().begin(), define_.users().end(),
                       [&](const auto& user) { return user.name() == name; });
  }

  const projections::State& state_;
  const v1::Define& define_;
};

std::optional<Refusal> check_slot_types(const projections::State& state, const v1::Define& d) {
  std::set<std::string> fresh;
  for (const auto& type : d.slot_types()) {
    if (type.name().empty() || type.name().size() > 64 || type.kind() > 2 || type.quantum() < 0)
      return bad("slot type '" + clipped(type.name(), 64) + "'");
    if (state.slot_types.find(type.name()) == nullptr) fresh.insert(type.name());
  }
  if (fresh.empty() || state.slot_types.size() + fresh.size() <= placement::kSlotTypesMax)
    return std::nullopt;
  return Refusal{"too-many-slot-types",
                 "a cell has at most " + std::to_string(placement::kSlotTypesMax) + " slot types",
                 "berth resource lists them"};
}

std::optional<Refusal> check_retired(const projections::State& state, const v1::Define& d) {
  for (const auto& group : d.groups())
    if (auto retired = check_not_retired(state, v1::DEFINITION_KIND_GROUP, group.name())) return retired;
  for (const auto& image : d.images())
    if (auto retired = check_not_retired(state, v1::DEFINITION_KIND_IMAGE, image.reference())) return retired;
  for (const auto& preset : d.presets())
    if (auto retired = check_not_retired(state, v1::DEFINITION_KIND_PRESET, preset.name())) return retired;
  for (const auto& domain : d.domains())
    if (auto retired = check_not_retired(state, v1::DEFINITION_KIND_DOMAIN, domain.name())) return retired;
  for (const auto& project : d.projects()) {
    const std::string name = project.domain() + "/" + project.name();
    if (auto retired = check_not_retired(state, v1::DEFINITION_KIND_PROJECT, name)) return retired;
  }
  for (const auto& user : d.users())
    if (auto retired = check_not_retired(state, v1::DEFINITION_KIND_USER, user.name())) return retired;
  for (const auto& key : d.key_pairs())
    if (auto retired = check_not_retired(state, v1::DEFINITION_KIND_KEY, key.id())) return retired;
  return std::nullopt;
}

std::optional<Refusal> check(const DecisionContext& c, const v1::Define& d) {
  const projections::State& state = c.state;
  if (auto r = check_retired(state, d)) return r;
  if (auto r = check_slot_types(state, d)) return r;
  if (auto r = check_names(d.groups(), "resource group")) return r;
  if (auto r = check_names(d.domains(), "domain")) return r;
  if (auto r = check_names(d.projects(), "project")) return r;
  if (auto r = check_names(d.users(), "user")) return r;
  for (const auto& group : d.groups())
    if (auto r = check(Slots{state, d}, group)) return r;
  if (auto r = check_names(d.presets(), "preset")) return r;
  for (const auto& preset : d.presets())
    if (auto r = check(Slots{state, d}, preset)) return r;
  for (const auto& key : d.key_pairs())
    if (key.id().empty() || key.id().size() > 128 || key.user().empty() || key.user().size() > kNameMax)
      return bad("a key pair without id or user");
  for (const auto& key : d.key_pairs())
    if (auto r = check_sealed(c, key.secret())) return r;
  for (const auto& project : d.projects())
    if (project.domain().size() > kNameMax) return bad("the domain of a project is too long");
  std::vector<const v1::UserDefined*> users;
  for (const auto& user : d.users()) {
    if (auto r = check(user)) return r;
    users.push_back(&user);
  }
  if (auto r = check_superadmin_stays(c, users)) return r;
  for (const auto& image : d.images())
    if (auto r = check(Slots{state, d}, image)) return r;
  return Owners(state, d).check();
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::Define& body) {
  if (auto refusal = check(c, body)) return *refusal;
  EventList events;
  const auto& stamp = c.stamp;
  for (const auto& d : body.slot_types()) *events.add(stamp).mutable_slot_type_registered() = d;
  for (const auto& d : body.groups()) *events.add(stamp).mutable_resource_group_defined() = d;
  for (const auto& d : body.domains()) *events.add(stamp).mutable_domain_defined() = d;
  for (const auto& d : body.projects()) *events.add(stamp).mutable_project_defined() = d;
  for (const auto& d : body.users()) *events.add(stamp).mutable_user_defined() = d;
  for (const auto& d : body.users()) end_credentials_of_old_role(c, d, events);
  for (const auto& d : body.key_pairs()) {
    auto& key = *events.add(stamp).mutable_key_pair_defined();
    key = d;
    key.set_made_by(maker_of(c, request.owner(), d.user()));
  }
  for (const auto& d : body.images()) *events.add(stamp).mutable_image_registered() = d;
  for (const auto& d : body.presets()) *events.add(stamp).mutable_preset_defined() = d;
  return events;
}

}  // namespace berth::controller
