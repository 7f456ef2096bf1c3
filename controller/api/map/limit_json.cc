#include "controller/api/map/limit_json.h"

#include "controller/api/map/json_reader.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using SlotLimits = google::protobuf::RepeatedPtrField<v1::SlotLimit>;

constexpr std::int64_t kCountMax = 1'000'000'000;

void read_slots(ObjectReader& in, const char* name, const SlotKinds& kinds, SlotLimits* out) {
  const json::object* slots = in.object(name);
  if (slots == nullptr) return;
  for (const auto& member : *slots) {
    const std::string slot(member.key().data(), member.key().size()),
        place = in.place_of(name) + "." + clipped(slot);
    if (!kinds.knows(slot)) {
      in.errors().add("unknown-slot", place, "no slot type is named '" + clipped(slot) + "'",
                      kinds.known_names());
      continue;
    }
    v1::SlotLimit& limit = *out->Add();
    limit.set_slot(slot);
    if (member.value().is_null()) {
      limit.set_unlimited(true);
      continue;
    }
    const auto amount = amount_of(kinds.kind_of(slot), member.value());
    if (amount.ok())
      limit.set_most(*amount);
    else
      in.errors().add(amount.error().code, place, amount.error().message, amount.error().hint);
  }
}

void read_count(ObjectReader& in, const char* name, v1::Count* (v1::LimitSet::*field)(),
                v1::LimitSet& limit) {
  if (const auto most = in.integer(name, 0, kCountMax)) (limit.*field)()->set_most(*most);
}

json::object slots_to_json(const SlotKinds& kinds, const SlotLimits& slots) {
  json::object out;
  for (const auto& slot : slots)
    out[slot.slot()] =
        slot.unlimited() ? json::value(nullptr) : json::value(amount_text(kinds, slot.slot(), slot.most()));
  return out;
}

json::value count_or_null(bool set, const v1::Count& count) {
  return set ? json::value(count.most()) : json::value(nullptr);
}

}  // namespace

v1::LimitSet read_limit(const json::object& body, const SlotKinds& kinds, v1::ScopeKind scope,
                        const std::string& id, Errors& errors) {
  ObjectReader in(body, "", errors);
  v1::LimitSet limit;
  limit.set_scope(scope);
  limit.set_id(id);
  read_slots(in, "slots", kinds, limit.mutable_slots());
  read_slots(in, "pending_slots", kinds, limit.mutable_pending_slots());
  const std::string unlisted = in.text("unlisted", 64).value_or("unlimited");
  if (unlisted != "limited" && unlisted != "unlimited")
    in.fail("invalid-value", "unlisted", "'" + clipped(unlisted) + "' is not possible",
            "limited or unlimited");
  limit.set_unlisted_is_zero(unlisted == "limited");
  read_count(in, "sessions", &v1::LimitSet::mutable_sessions, limit);
  read_count(in, "system_sessions", &v1::LimitSet::mutable_system_sessions, limit);
  read_count(in, "pending", &v1::LimitSet::mutable_pending, limit);
  read_count(in, "kernels_per_session", &v1::LimitSet::mutable_kernels_per_session, limit);
  read_count(in, "priority", &v1::LimitSet::mutable_priority, limit);
  in.finish();
  return limit;
}

json::object limit_to_json(const projections::State& state, const SlotKinds& kinds,
                           const v1::LimitSet& limit) {
  const auto& use = state.usage().find(word(limit.scope()) + "/" + limit.id());
  json::object out{
      {"scope", word(limit.scope())},
      {"id", limit.id()},
      {"slots", slots_to_json(kinds, limit.slots())},
      {"unlisted", limit.unlisted_is_zero() ? "limited" : "unlimited"},
      {"sessions", count_or_null(limit.has_sessions(), limit.sessions())},
      {"system_sessions", count_or_null(limit.has_system_sessions(), limit.system_sessions())},
      {"pending", count_or_null(limit.has_pending(), limit.pending())},
      {"pending_slots", slots_to_json(kinds, limit.pending_slots())},
      {"kernels_per_session", count_or_null(limit.has_kernels_per_session(), limit.kernels_per_session())},
      {"priority", count_or_null(limit.has_priority(), limit.priority())}};
  json::object slots, pending_slots;
  for (const std::string& slot : kinds.names()) {
    slots[slot] = amount_text(kinds, slot, use.slots.get(slot));
    pending_slots[slot] = amount_text(kinds, slot, use.pending_slots.get(slot));
  }
  out["using"] = {{"slots", std::move(slots)},
                  {"sessions", use.sessions},
                  {"system_sessions", use.system_sessions},
                  {"pending", use.pending},
                  {"pending_slots", std::move(pending_slots)}};
  return out;
}

}  // namespace berth::controller::api
