// "fair_share" of a group: settings, weights, and what was used on which day.
#include "controller/feed/fair_share_book.h"
#include "controller/scenario/parse.h"
#include "controller/scenario/times.h"
#include "events/codec/words/enum_words.h"
#include "projections/subjects.h"

namespace berth::placement {

namespace json = boost::json;

namespace {

FairShareRow& row_of(ScenarioGroup* group, ShareScope scope, std::string_view id) {
  for (FairShareRow& row : group->fair_share) {
    if (row.scope == scope && row.id == id) return row;
  }
  FairShareRow& made = group->fair_share.emplace_back();
  made.scope = scope;
  made.id = std::string(id);
  return made;
}

// "user:u1": "2".
void read_weight(Document& document, std::string_view key, const json::value& value, const std::string& place,
                 ScenarioGroup* group) {
  const auto colon = key.find(':');
  const auto scope = from_word<v1::ScopeKind>(key.substr(0, colon));
  if (!scope || !projections::is_group_scope(*scope) || colon == std::string_view::npos ||
      colon + 1 == key.size()) {
    return document.fail(place, "a weight is for \"domain:ID\", \"project:ID\" or \"user:ID\"");
  }
  if (!value.is_string()) return document.fail(place, "a weight is a text such as \"1\" or \"0.5\"");
  const Result<Amount> weight = parse_amount(SlotKind::kCount, std::string_view(value.get_string()));
  if (!weight.ok()) return document.fail(place, weight.error().message);
  if (*weight <= 0) return document.fail(place, "must be more than 0");
  row_of(group, controller::share_scope_of(*scope), key.substr(colon + 1)).weight = *weight;
}

// "2025-12-31" as a day since 1970; nullopt (and the failure) for anything else, also for days to come.
std::optional<std::int32_t> read_day(JsonObject& object, const Scenario& scenario) {
  const std::optional<Timestamp> midnight = parse_time(object.name("day") + "T00:00:00Z");
  if (!midnight) {
    object.fail("day", "a day is a text such as \"2025-12-31\"");
    return std::nullopt;
  }
  if (day_of(*midnight) > day_of(scenario.now)) {
    object.fail("day", "is after \"now\"");
    return std::nullopt;
  }
  return day_of(*midnight);
}

void read_usage(JsonObject object, const Scenario& scenario, ScenarioGroup* group) {
  const auto scope = from_word<v1::ScopeKind>(object.word("scope", "user", {"domain", "project", "user"}));
  FairShareRow& row = row_of(group, controller::share_scope_of(*scope), object.name("id"));
  const std::optional<std::int32_t> day = read_day(object, scenario);
  std::string unknown;  // named so that seconds of a unique slot may be more than 1
  for (const auto& [name, amount] : read_slots(object, "slots", scenario.slot_types, &unknown)) {
    if (day) row.usage[*day][*scenario.slot_types.find_slot(name)] += static_cast<SlotSeconds>(amount);
  }
  if (!unknown.empty()) object.fail("slots", "there is no slot type " + unknown + " in \"slots\"");
  object.finish();
}

}  // namespace

void read_fair_share(JsonObject& group, const Scenario& scenario, ScenarioGroup* result) {
  JsonObject share = group.object("fair_share");
  FairShareSettings& settings = result->policy.fair_share;
  settings.half_life_days = static_cast<std::int32_t>(share.integer("half_life_days", 7, 1, 36'500));
  settings.lookback_days = static_cast<std::int32_t>(share.integer("lookback_days", 28, 1, 36'500));
  share.members("weights", [&](std::string_view key, const json::value& value, const std::string& place) {
    read_weight(share.document(), key, value, place, result);
  });
  share.each("usage_history", [&](const json::value& value, const std::string& place) {
    read_usage(JsonObject(share.document(), value, place), scenario, result);
  });
  share.finish();
}

}  // namespace berth::placement
