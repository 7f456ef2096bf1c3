// The parts of parse_scenario(), one kind of object each.
#pragma once

#include "controller/scenario/json_object.h"
#include "controller/scenario/scenario.h"

namespace berth::placement {

// {"cpu": "2", "mem": "4g"}. A name that is no slot type is an error, or goes to `unknown` if the caller
// gives one: an unknown slot in a session's request is a refusal, not a bad file.
SlotTexts read_slots(JsonObject& object, std::string_view key, const Cluster& cluster,
                     std::string* unknown = nullptr);
std::vector<SlotAmount> slot_amounts(const Cluster& cluster, const SlotTexts& slots);

void read_slot_types(JsonObject& root, Scenario* scenario);
ScenarioGroup read_group(JsonObject object, Scenario& scenario);
void read_fair_share(JsonObject& group, const Scenario& scenario, ScenarioGroup* result);
AgentSpec read_agent(JsonObject object, const Scenario& scenario);
ScenarioSession read_session(JsonObject object, const Scenario& scenario);
void read_limits(JsonObject& root, Scenario* scenario);
void read_events(JsonObject& root, Scenario* scenario);
// Errors that no single object shows: unknown names, duplicates, cycles.
void check_references(Document& document, const Scenario& scenario);

}  // namespace berth::placement
