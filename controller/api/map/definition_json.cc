#include "controller/api/map/definition_json.h"

#include <map>

#include "controller/api/map/json_values.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller::api {

namespace json = boost::json;

ImageLabels labels_of(const v1::ImageRegistered& image) {
  std::map<std::string, std::string> labels;
  for (const auto& label : image.labels()) labels.emplace(label.key(), label.value());
  auto parsed = parse_image_labels(labels);
  return parsed.ok() ? *std::move(parsed) : ImageLabels();
}

json::object image_to_json(const v1::ImageRegistered& image) {
  const ImageLabels labels = labels_of(image);
  const auto bytes = [](Amount amount) {
    return amount == 0 ? json::value(nullptr) : json::value(std::to_string(amount));
  };
  json::array apps;
  for (const ImageApp& app : labels.apps)
    apps.push_back({{"name", app.name},
                    {"title", app.title},
                    {"protocol", to_string(app.protocol)},
                    {"port", app.port}});
  return {{"reference", image.reference()},
          {"source", image.source()},
          {"digest", image.digest()},
          {"architecture", image.architecture()},
          {"labels", pairs_to_json(image.labels())},
          {"apps", std::move(apps)},
          {"memory_min", bytes(labels.memory_min)},
          {"memory_recommended", bytes(labels.memory_recommended)}};
}

json::object image_to_json(const projections::ImageRow& row) {
  json::object image = image_to_json(row.def);
  const bool builds = row.build && !row.build->failed(), has_failed = row.build && row.build->failed();
  image["building"] = nullptr;
  if (builds) image["building"] = {{"percent", row.build->percent()}, {"step", row.build->step()}};
  image["build_failed"] = has_failed ? json::value(row.build->message()) : json::value(nullptr);
  return image;
}

namespace {

json::object preemption_to_json(const v1::ResourceGroupDefined& group) {
  const v1::Preemption& p = group.preemption();
  return {{"enabled", p.enabled()},
          {"order", p.order().empty() ? "oldest" : p.order()},
          {"mode", p.mode().empty() ? "terminate" : p.mode()},
          {"scope", p.scope() == v1::SCOPE_KIND_UNSPECIFIED ? "user" : word(p.scope())},
          {"min_runtime", duration_or_null(p.min_runtime_ms())}};
}

json::array exclusive_to_json(const v1::ResourceGroupDefined& group) {
  json::array sets;
  for (const auto& set : group.exclusive())
    sets.emplace_back(json::array(set.slots().begin(), set.slots().end()));
  return sets;
}

// null where it has none: the defaults apply.
json::value fair_share_to_json(const v1::ResourceGroupDefined& group) {
  if (!group.has_fair_share()) return nullptr;
  const v1::FairShare& share = group.fair_share();
  json::object slots, weights, out;
  for (const auto& weight : share.slot_weights())
    slots[weight.slot()] = format_amount(SlotKind::kCount, weight.amount());
  for (const auto& weight : share.weights())
    weights[word(weight.scope()) + ":" + weight.id()] = format_amount(SlotKind::kCount, weight.weight());
  if (share.half_life_days() != 0) out["half_life_days"] = share.half_life_days();
  if (share.lookback_days() != 0) out["lookback_days"] = share.lookback_days();
  out["slot_weights"] = std::move(slots);
  out["weights"] = std::move(weights);
  return out;
}

json::value open_to_json(const v1::ResourceGroupDefined& group) {
  json::array out;
  for (const auto& to : group.open_to()) out.push_back({{"scope", word(to.scope())}, {"id", to.id()}});
  return out;
}

// `whose`: "domain:D", "project:D/P" or "user:U". Of users it is the actor alone: a name does not say where
// its user lives.
bool sees_owner(const projections::Actor& actor, std::string_view whose) {
  const auto colon = whose.find(':'), slash = whose.find('/', colon);
  const auto scope = from_word<v1::ScopeKind>(whose.substr(0, colon));
  if (scope == v1::SCOPE_KIND_USER) return whose.substr(colon + 1) == actor.user;
  v1::Owner subject;
  subject.set_domain(std::string(whose.substr(colon + 1, slash - colon - 1)));
  if (scope == v1::SCOPE_KIND_DOMAIN)
    return may(actor, projections::Noun::kDomain, projections::Verb::kSee, subject);
  subject.set_project(std::string(whose.substr(slash + 1)));
  return may(actor, projections::Noun::kProject, projections::Verb::kSee, subject);
}

}  // namespace

json::object group_to_json(const SlotKinds& kinds, const v1::ResourceGroupDefined& group) {
  json::object devices;
  for (const auto& policy : group.devices())
    devices[policy.slot()] = {{"spread", policy.spread()},
                              {"quantum", amount_text(kinds, policy.slot(), policy.quantum())},
                              {"allow_fragments", policy.allow_fragments()}};
  json::array priority;
  for (const auto& slot : group.slot_priority()) priority.emplace_back(slot);
  return {{"name", group.name()},
          {"order", group.order()},
          {"head_of_line", {{"policy", group.head_of_line()}, {"n", group.skip_after()}}},
          {"impossible", group.impossible().empty() ? "block" : group.impossible()},
          {"select", group.select()},
          {"custom", group.custom().empty() ? json::value(nullptr) : json::value(group.custom())},
          {"slot_priority", std::move(priority)},
          {"devices", std::move(devices)},
          {"exclusive_slots", exclusive_to_json(group)},
          {"preemption", preemption_to_json(group)},
          {"fair_share", fair_share_to_json(group)},
          {"open_to", open_to_json(group)},
          {"egress", group.egress().empty() ? "none" : group.egress()},
          {"pending_timeout", duration_or_null(group.pending_timeout_ms())},
          {"max_attempts", group.max_attempts()},
          {"shm", group.shm() == 0 ? json::value(nullptr) : json::value(std::to_string(group.shm()))},
          {"disk", group.disk() == 0 ? json::value(nullptr) : json::value(std::to_string(group.disk()))}};
}

void hide_others(json::object& group, const projections::Actor& actor) {
  group["open_to"] = nullptr;
  json::object* share = group["fair_share"].if_object();
  if (share == nullptr) return;
  json::object shown;
  for (auto& [whose, weight] : (*share)["weights"].as_object())
    if (sees_owner(actor, whose)) shown[whose] = weight;
  (*share)["weights"] = std::move(shown);
}

json::object slot_to_json(const v1::SlotTypeRegistered& slot) {
  const auto kind = static_cast<SlotKind>(slot.kind());
  return {{"name", slot.name()},
          {"kind", name_of(kind)},
          {"quantum", format_amount(kind, slot.quantum() == 0 ? 1 : slot.quantum())}};
}

}  // namespace berth::controller::api
