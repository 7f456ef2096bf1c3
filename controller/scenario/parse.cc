#include "controller/scenario/parse.h"

#include "events/base/strict_json.h"
#include "events/codec/words/enum_words.h"

namespace berth::placement {

namespace json = boost::json;

namespace {

constexpr Timestamp kDefaultNow = 1'767'225'600 * kSecond;  // 2026-01-01T00:00:00Z

std::optional<Amount> read_amount(Document& document, const Cluster& cluster, SlotId slot,
                                  const json::value& value, const std::string& place, bool asked = false) {
  if (!value.is_string()) {
    document.fail(place, "an amount is a text such as \"0.5\" or \"16g\"");
    return std::nullopt;
  }
  SlotKind kind = cluster.slot_kind(slot);
  if (asked && kind == SlotKind::kUnique)
    kind = SlotKind::kCount;  // two of a unique slot: a refusal, not a bad file
  const Result<Amount> amount = parse_amount(kind, std::string_view(value.get_string()));
  if (amount.ok()) return *amount;
  document.fail(place, amount.error().message);
  return std::nullopt;
}

}  // namespace

SlotTexts read_slots(JsonObject& object, std::string_view key, const Cluster& cluster, std::string* unknown) {
  SlotTexts result;
  object.members(key, [&](std::string_view name, const json::value& value, const std::string& place) {
    if (value.is_null()) return;
    const std::optional<SlotId> slot = cluster.find_slot(name);
    if (!slot) {
      if (unknown == nullptr)
        object.document().fail(place, "there is no such slot type in \"slots\"");
      else if (unknown->empty())
        *unknown = std::string(name);
      return;
    }
    if (const auto amount = read_amount(object.document(), cluster, *slot, value, place, unknown != nullptr))
      result[std::string(name)] = *amount;
  });
  return result;
}

std::vector<SlotAmount> slot_amounts(const Cluster& cluster, const SlotTexts& slots) {
  std::vector<SlotAmount> result;
  for (const auto& [name, amount] : slots) result.push_back({*cluster.find_slot(name), amount});
  return result;
}

void read_slot_types(JsonObject& root, Scenario* scenario) {
  const auto define = [scenario](std::string_view name, SlotKind kind) {
    if (!scenario->slot_types.find_slot(name)) scenario->slots.emplace_back(name, kind);
    scenario->slot_types.define_slot(name, kind);
  };
  if (!root.has("slots")) {
    define("cpu", SlotKind::kCount);
    define("mem", SlotKind::kBytes);
    define("cuda.shares", SlotKind::kCount);
    define("cuda.device:mig-1g", SlotKind::kUnique);
    return;
  }
  std::size_t count = 0;
  root.members("slots", [&](std::string_view name, const json::value& value, const std::string& place) {
    const std::string_view kind =
        value.is_string() ? std::string_view(value.get_string()) : std::string_view();
    if (kind != "count" && kind != "bytes" && kind != "unique") {
      root.document().fail(place, "the kind of a slot type is \"count\", \"bytes\" or \"unique\"");
    } else if (name.empty()) {
      root.document().fail(place, "a slot type has a name");
    } else if (++count > 64) {
      root.document().fail(place, "a scenario has at most 64 slot types");
    } else {
      const SlotKind which = kind == "count"   ? SlotKind::kCount
                             : kind == "bytes" ? SlotKind::kBytes
                                               : SlotKind::kUnique;
      define(name, which);
    }
  });
}

void read_limits(JsonObject& root, Scenario* scenario) {
  const auto read_scope = [](JsonObject& object) {
    return *from_word<v1::ScopeKind>(object.word("scope", "user", {"domain", "project", "user", "keypair"}));
  };
  root.each("limits", [&](const json::value& value, const std::string& place) {
    JsonObject object(root.document(), value, place);
    ScenarioLimit limit;
    limit.scope = read_scope(object);
    limit.id = object.name("id");
    object.members("slots", [&](std::string_view name, const json::value& amount, const std::string& at) {
      const std::optional<SlotId> slot = scenario->slot_types.find_slot(name);
      if (!slot) return root.document().fail(at, "there is no such slot type in \"slots\"");
      if (amount.is_null())
        limit.slots[std::string(name)] = std::nullopt;
      else
        limit.slots[std::string(name)] =
            read_amount(root.document(), scenario->slot_types, *slot, amount, at);
    });
    limit.unlisted_is_zero = object.word("unlisted", "unlimited", {"unlimited", "limited"}) == "limited";
    if (object.has("sessions")) limit.sessions = object.integer("sessions", 0, 0, INT32_MAX);
    if (object.has("pending"))
      object.integer("pending", 0, 0, INT32_MAX);  // checked where a session is asked for
    if (object.has("system_sessions"))
      limit.system_sessions = object.integer("system_sessions", 0, 0, INT32_MAX);
    object.finish();
    for (const ScenarioLimit& other : scenario->limits) {
      if (other.scope == limit.scope && other.id == limit.id)
        root.document().fail(place, "there are two limits of " + word(limit.scope) + " \"" + limit.id + "\"");
    }
    scenario->limits.push_back(std::move(limit));
  });
  root.each("usage", [&](const json::value& value, const std::string& place) {
    JsonObject object(root.document(), value, place);
    ScenarioUsage usage;
    usage.scope = read_scope(object);
    usage.id = object.name("id");
    usage.slots = read_slots(object, "slots", scenario->slot_types);
    usage.sessions = object.integer("sessions", 0, 0, INT32_MAX);
    object.finish();
    scenario->usage.push_back(std::move(usage));
  });
}

void read_events(JsonObject& root, Scenario* scenario) {
  root.each("events", [&](const json::value& value, const std::string& place) {
    JsonObject object(root.document(), value, place);
    ScenarioEvent event;
    event.after_pass = object.integer("after_pass", 1, 1, INT32_MAX);
    event.end = object.name("end");
    event.result = object.word("result", "SUCCESS", {"SUCCESS", "FAILED"});
    object.finish();
    scenario->events.push_back(std::move(event));
  });
}

Result<Scenario> parse_scenario(std::string_view text) {
  const Result<json::value> value = read_strict_json(text);
  if (!value.ok()) return make_error("bad-scenario", "the file: " + value.error().message);
  Scenario scenario;
  Document document;
  JsonObject root(document, *value, "");
  root.integer("version", 1, 1, 1);
  root.integer("seed", 1, INT64_MIN, INT64_MAX);  // no policy that is built draws by chance
  scenario.now = root.time("now").value_or(kDefaultNow);
  read_slot_types(root, &scenario);
  if (root.has("groups")) {
    root.each("groups", [&](const json::value& group, const std::string& place) {
      scenario.groups.push_back(read_group(JsonObject(document, group, place), scenario));
    });
  } else {
    static const json::value kDefault = json::object();
    scenario.groups.push_back(read_group(JsonObject(document, kDefault, "groups[0]"), scenario));
  }
  std::vector<std::vector<SlotId>> exclusive;
  const auto add_to = [&](std::vector<SlotId>& set, std::string_view name, const std::string& place) {
    if (const auto slot = scenario.slot_types.find_slot(name))
      set.push_back(*slot);
    else
      document.fail(place, "there is no such slot type in \"slots\"");
  };
  root.each("exclusive_slots", [&](const json::value& set, const std::string& place) {
    exclusive.emplace_back();
    if (!set.is_array()) return document.fail(place, "a list of slot types was expected");
    for (const json::value& name : set.get_array()) {
      if (name.is_string())
        add_to(exclusive.back(), name.get_string(), place + ": " + std::string(name.get_string()));
      else
        document.fail(place, "a list of slot types was expected");
    }
  });
  if (!root.has("exclusive_slots") && !root.has("slots")) {
    exclusive.push_back({*scenario.slot_types.find_slot("cuda.device:mig-1g"),
                         *scenario.slot_types.find_slot("cuda.shares")});
  }
  for (ScenarioGroup& group : scenario.groups) group.policy.exclusive = exclusive;
  if (!root.has("agents")) root.fail("agents", "is missing");
  if (!root.has("sessions")) root.fail("sessions", "is missing");
  root.each("agents", [&](const json::value& agent, const std::string& place) {
    scenario.agents.push_back(read_agent(JsonObject(document, agent, place), scenario));
  });
  root.each("sessions", [&](const json::value& session, const std::string& place) {
    scenario.sessions.push_back(read_session(JsonObject(document, session, place), scenario));
  });
  read_limits(root, &scenario);
  read_events(root, &scenario);
  root.finish();
  if (!document.error()) check_references(document, scenario);
  if (document.error()) return *document.error();
  return scenario;
}

}  // namespace berth::placement
