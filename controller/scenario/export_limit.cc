// Limits of an exported scenario, and what counts under them beside the sessions of the file.
#include "controller/scenario/export_parts.h"
#include "events/codec/words/enum_words.h"
#include "projections/limits.h"

namespace berth::placement {

namespace json = boost::json;
using projections::SessionRow;

namespace {

// What the file counts by its own sessions that the state counts too: RESERVED ones count in the leader's
// memory and in the file.
projections::UsageBook counted(const Exporter& e) {
  projections::UsageBook book;
  for (const SessionRow* row : e.sessions) {
    if (waits_in_file(*row)) continue;
    for (const KernelId& id : row->kernel_ids)
      if (const auto* kernel = e.state.kernels.find(id); kernel != nullptr && kernel->holds_slots())
        book.hold(*row->owner, kernel->role_spec(), 1);
    book.count(*row->owner, row->spec->spec, projections::SessionUse::kActive, 1);
  }
  return book;
}

// What the leader counts beside the state: RESERVED ones, here of groups that are not in the file.
projections::UsageBook reserved_elsewhere(const Exporter& e) {
  projections::UsageBook book;
  for (const auto& [created, id] : e.state.pending()) {
    const SessionRow& row = *e.state.sessions.find(id);
    if (row.status != projections::SessionStatus::kReserved || e.is_exported(id)) continue;
    book.place(*row.owner, row.spec->spec, 1);
  }
  return book;
}

}  // namespace

json::array Exporter::export_limits() {
  json::array list;
  for (const auto& key : state.limits.sorted_keys()) {
    const v1::LimitSet& limit = state.limits.find(key)->def;
    json::object slot_limits;
    for (const auto& slot : limit.slots())
      slot_limits[slot.slot()] =
          slot.unlimited() ? json::value(nullptr) : json::value(amount(slot.slot(), slot.most()));
    json::object made{{"scope", word(limit.scope())},
                      {"id", owner_name(limit.scope(), limit.id())},
                      {"slots", std::move(slot_limits)},
                      {"unlisted", limit.unlisted_is_zero() ? "limited" : "unlimited"}};
    if (limit.has_sessions()) made["sessions"] = limit.sessions().most();
    if (limit.has_system_sessions()) made["system_sessions"] = limit.system_sessions().most();
    if (limit.has_pending()) made["pending"] = limit.pending().most();
    list.push_back(std::move(made));
  }
  return list;
}

json::array Exporter::export_usage() {
  json::array list;
  if (state.limits.size() == 0) return list;
  const projections::UsageBook file = counted(*this), elsewhere = reserved_elsewhere(*this);
  for (const auto& key : state.limits.sorted_keys()) {
    const v1::LimitSet& limit = state.limits.find(key)->def;
    const std::string scope = word(limit.scope()) + " " + limit.id();
    const projections::ScopeUse &all = state.usage().find(key), &said = file.find(key),
                                &held = elsewhere.find(key);
    json::object more;
    for (const auto& [slot, kind] : slots) {
      const Amount rest = all.slots.get(slot) + held.slots.get(slot) - said.slots.get(slot);
      if (rest > 0) more[slot] = format_amount(kind, rest);
    }
    const std::int64_t rest = all.sessions + held.sessions - said.sessions;
    if (all.system_sessions != said.system_sessions)
      note("limit of " + scope + ": system sessions of other groups are not in the file");
    if (more.empty() && rest <= 0) continue;
    list.push_back({{"scope", word(limit.scope())},
                    {"id", owner_name(limit.scope(), limit.id())},
                    {"slots", std::move(more)},
                    {"sessions", std::max<std::int64_t>(rest, 0)}});
  }
  return list;
}

}  // namespace berth::placement
