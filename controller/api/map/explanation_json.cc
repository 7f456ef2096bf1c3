#include "controller/api/map/explanation_json.h"

#include <set>

#include "controller/api/map/json_values.h"
#include "events/codec/words/enum_words.h"
#include "projections/session_access.h"

namespace berth::controller::api {

namespace json = boost::json;

namespace {

json::array limits_to_json(const SlotKinds& kinds, const std::vector<LimitInTheWay>& limits) {
  json::array out;
  for (const LimitInTheWay& l : limits) {
    const auto text = [&](Amount amount) {
      return l.is_count ? std::to_string(amount) : amount_text(kinds, l.what, amount);
    };
    out.push_back({{"scope", word(l.scope)},
                   {"id", l.id},
                   {"what", l.what},
                   {"used", text(l.used)},
                   {"asked", text(l.asked)},
                   {"limit", text(l.limit)}});
  }
  return out;
}

json::array unmet_to_json(const std::vector<Unmet>& unmet) {
  json::array out;
  for (const Unmet& on : unmet)
    out.push_back({{"session", to_string(on.session)},
                   {"name", on.name},
                   {"status", on.status},
                   {"result", text_or_null(on.result)}});
  return out;
}

}  // namespace

json::value estimate_to_json(const StartEstimate& start) {
  json::object out;
  for (const auto& p : start.percentiles)
    out["p" + std::to_string(p.percent)] =
        json::object{{"at", p.at ? json::value(format_time(*p.at)) : json::value(nullptr)},
                     {"none", text_or_null(p.none)},
                     {"told", p.told},
                     {"met_permille", p.met_permille}};
  return out;
}

json::object explanation_to_json(const SlotKinds& kinds, const Explanation& why) {
  json::array lacking, holders;
  for (const Lacking& lack : why.lacking)
    lacking.push_back({{"slot", lack.slot},
                       {"asked", amount_text(kinds, lack.slot, lack.asked)},
                       {"best_free", amount_text(kinds, lack.slot, lack.best_free)},
                       {"where", lack.where}});
  for (const Holder& holder : why.holders)
    holders.push_back({{"session", to_string(holder.session)},
                       {"name", holder.name},
                       {"user", holder.user},
                       {"agent", holder.agent},
                       {"device", holder.device},
                       {"slot", holder.slot},
                       {"amount", amount_text(kinds, holder.slot, holder.amount)}});
  json::object out{{"code", why.code.empty() ? json::value(nullptr) : json::value(why.code.word())},
                   {"slot", why.slot.empty() ? json::value(nullptr) : json::value(why.slot)},
                   {"text", why.text},
                   {"hint", why.hint}};
  const auto ids_of = [](const std::vector<std::vector<SessionId>>& sets) {
    json::array all;
    for (const auto& set : sets) {
      json::array ids;
      for (const SessionId& id : set) ids.push_back(json::value(to_string(id)));
      all.push_back(std::move(ids));
    }
    return all;
  };
  json::array lines;
  for (const std::string& line : why.unblock.lines) lines.push_back(json::value(line));
  out["unblock"] = json::object{{"lines", std::move(lines)},
                                {"ends", ids_of(why.unblock.ends)},
                                {"leaves", ids_of(why.unblock.leaves)},
                                {"complete", why.unblock.complete},
                                {"proved", why.unblock.proved}};
  out["lacking"] = std::move(lacking);
  out["holders"] = std::move(holders);
  out["holders_total"] = why.holders_total;
  out["limits"] = limits_to_json(kinds, why.limits);
  out["unmet"] = unmet_to_json(why.unmet);
  out["blocked_by"] = why.blocked_by.is_nil() ? json::value(nullptr) : json::value(to_string(why.blocked_by));
  out["blocked_by_name"] = text_or_null(why.blocked_by_name);
  out["estimated_start"] = why.start ? estimate_to_json(*why.start) : json::value(nullptr);
  out["queue_position"] = why.queue_position == 0 ? json::value(nullptr) : json::value(why.queue_position);
  return out;
}

namespace {

json::array places_to_json(const SlotKinds& kinds, const std::vector<WouldStart::Kernel>& kernels) {
  json::array out;
  for (const auto& kernel : kernels) {
    json::array devices;
    for (const auto& share : kernel.devices)
      devices.push_back({{"device", share.device},
                         {"slot", share.slot},
                         {"amount", amount_text(kinds, share.slot, share.amount)}});
    out.push_back({{"kernel", kernel.kernel}, {"agent", kernel.agent}, {"devices", std::move(devices)}});
  }
  return out;
}

}  // namespace

json::object dry_run_to_json(const SlotKinds& kinds, const DryRunAnswer& answer) {
  json::array sessions;
  std::uint64_t starting = 0;
  for (const WouldStart& session : answer.sessions) {
    starting += session.starts.value_or(false) ? 1 : 0;
    sessions.push_back({{"name", session.name},
                        {"starts_now", session.starts ? json::value(*session.starts) : json::value(nullptr)},
                        {"kernels", places_to_json(kinds, session.kernels)},
                        {"preempts", json::array(session.preempts.begin(), session.preempts.end())},
                        {"preempts_count", session.preempts_count}});
  }
  json::object out{{"dry_run", true},
                   {"starting_now", starting},
                   {"sessions", std::move(sessions)},
                   {"waiting", nullptr},
                   {"note", text_or_null(answer.note)},
                   {"warnings", json::array(answer.warnings.begin(), answer.warnings.end())}};
  if (!answer.why) return out;
  json::object waiting{{"name", answer.waiting}, {"status", "PENDING"}};
  for (auto& member : explanation_to_json(kinds, *answer.why))
    waiting[member.key()] = std::move(member.value());
  out["waiting"] = std::move(waiting);
  return out;
}

SeesSession sees_of(const projections::State& state, const projections::Actor& actor) {
  std::set<SessionId> shared;
  for (const auto* session : sessions_shared_with(state, actor)) shared.insert(session->id);
  return [actor, shared = std::move(shared)](const projections::SessionRow& row) {
    return row.owner && (shared.contains(row.id) || may_see_session(actor, row.owner->owner, nullptr));
  };
}

}  // namespace berth::controller::api
