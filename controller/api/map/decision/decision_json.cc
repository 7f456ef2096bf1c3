#include "controller/api/map/decision/decision_json.h"

#include "controller/api/map/event_json.h"
#include "controller/api/map/json_values.h"

namespace berth::controller::api {

namespace json = boost::json;

namespace {

json::value score_to_json(const SlotKinds& kinds, const ScoreValue& value) {
  json::object out{{"name", value.name}, {"slot", text_or_null(value.slot)}, {"value", nullptr}};
  if (!value.value) return out;
  out["value"] =
      value.slot.empty() ? std::to_string(*value.value) : amount_text(kinds, value.slot, *value.value);
  return out;
}

json::value filter_to_json(const SlotKinds& kinds, const FilterStep& filter) {
  json::array removed;
  for (const RemovedAgent& one : filter.removed) {
    json::object agent{{"agent", one.agent}, {"slot", nullptr}, {"asked", nullptr}, {"missing", nullptr}};
    if (!one.slot.empty()) {
      agent["slot"] = one.slot;
      agent["asked"] = amount_text(kinds, one.slot, one.asked);
      agent["missing"] = amount_text(kinds, one.slot, one.missing);
    }
    removed.push_back(std::move(agent));
  }
  return json::object{{"filter", filter.code.word()},
                      {"text", filter.text},
                      {"removed_count", filter.count},
                      {"removed", std::move(removed)}};
}

json::value search_to_json(const SlotKinds& kinds, const SearchStep& search) {
  json::array filters, remaining;
  for (const FilterStep& filter : search.filters) filters.push_back(filter_to_json(kinds, filter));
  for (const ScoredAgent& agent : search.remaining) {
    json::array scores;
    for (const ScoreValue& value : agent.score) scores.push_back(score_to_json(kinds, value));
    remaining.push_back(json::object{{"agent", agent.agent}, {"scores", std::move(scores)}});
  }
  return json::object{{"kernel", search.kernel},           {"agents", search.agents},
                      {"filters", std::move(filters)},     {"remaining_count", search.remaining_count},
                      {"remaining", std::move(remaining)}, {"ties", search.ties}};
}

json::value queue_step_to_json(const QueueStep& step) {
  return json::object{{"place", step.place},
                      {"session", id_or_null(step.session)},
                      {"name", text_or_null(step.name)},
                      {"user", text_or_null(step.user)},
                      {"priority", step.priority},
                      {"asked", step.asked == 0 ? json::value(nullptr) : json::value(step.asked)},
                      {"outcome", name_of(step.outcome)},
                      {"code", text_or_null(step.code.word())},
                      {"slot", text_or_null(step.slot)}};
}

// Null: the pass did not place the session.
template <class M> json::value places_to_json(const SlotKinds& kinds, const M& event) {
  if (event.placements().empty()) return nullptr;
  json::array places;
  for (const v1::Placement& place : event.placements()) {
    json::array devices;
    for (const auto& share : place.devices())
      devices.push_back(json::object{{"device", share.device()},
                                     {"slot", share.slot()},
                                     {"amount", amount_text(kinds, share.slot(), share.amount())}});
    places.push_back(json::object{{"kernel", place.role() + std::to_string(place.index())},
                                  {"agent", place.agent()},
                                  {"devices", std::move(devices)}});
  }
  return places;
}

json::value places_of(const SlotKinds& kinds, const v1::Event& event) {
  return event.has_session_reserved() ? places_to_json(kinds, event.session_reserved())
                                      : places_to_json(kinds, event.session_scheduled());
}

}  // namespace

json::object decision_to_json(const SlotKinds& kinds, const RecordedDecision& recorded,
                              const PassRecord& began, const PastDecision& d) {
  json::array queue, searches, victims;
  for (const QueueStep& step : d.queue) queue.push_back(queue_step_to_json(step));
  for (const SearchStep& search : d.searches) searches.push_back(search_to_json(kinds, search));
  for (const SessionId& victim : d.victims) victims.push_back(json::value(to_string(victim)));
  json::object out{{"position", to_string(EventId{recorded.offset, recorded.index})},
                   {"time", format_time(recorded.time)},
                   {"kind", d.held ? "held" : "placed"},
                   {"session", to_string(d.session)},
                   {"name", d.name},
                   {"user", d.user},
                   {"attempt", d.attempt},
                   {"group", d.group}};
  out["pass"] = json::object{{"from", to_string(EventId{began.offset, d.pass.index})},
                             {"to", to_string(EventId{recorded.offset, recorded.index})},
                             {"time", format_time(d.pass_time)}};
  out["policy"] = json::object{{"order", d.order}, {"head_of_line", d.head_of_line}, {"select", d.select}};
  out["queue_count"] = d.order_count;
  out["queue"] = std::move(queue);
  out["was_held"] = d.was_held;
  out["behind_head"] = d.behind_head;
  out["searches_count"] = d.searches_count;
  out["searches"] = std::move(searches);
  out["victims_count"] = d.victims_count;
  out["victims"] = std::move(victims);
  out["places"] = places_of(kinds, d.again);
  out["record"] = places_of(kinds, d.recorded);
  out["equal"] = d.equal;
  return out;
}

}  // namespace berth::controller::api
