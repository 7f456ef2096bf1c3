// Resource groups of an exported scenario.
#include <algorithm>

#include "controller/feed/fair_share_book.h"
#include "controller/placement/types.h"
#include "controller/scenario/export_parts.h"
#include "events/codec/words/enum_words.h"

namespace berth::placement {

namespace json = boost::json;
using projections::SessionRow;

namespace {

std::string word_or(const std::string& word, const char* fallback) { return word.empty() ? fallback : word; }

// What only a run of the leader knows, or the form has no place for.
void note_what_is_learned(Exporter& e, const v1::ResourceGroupDefined& def) {
  if (def.select() == "fgd" || def.select() == "balanced" || def.select() == "ours")
    e.note("group " + def.name() + " selects by what it has learned: a file counts its own sessions instead");
}

}  // namespace

json::array Exporter::export_groups() {
  json::array list;
  for (const std::string& name : groups) list.push_back(export_group(name));
  return list;
}

json::object Exporter::export_group(const std::string& name) {
  const auto* row = state.groups.find(name);
  json::object group{{"name", name}};
  if (row == nullptr) {  // an agent named it: the scheduler's defaults
    group["head_of_line"] = json::object{{"policy", "strict"}};
    return group;
  }
  const v1::ResourceGroupDefined& def = row->def;
  group["order"] = word_or(def.order(), "fifo");
  group["head_of_line"] =
      json::object{{"policy", word_or(def.head_of_line(), "strict")}, {"n", def.skip_after()}};
  group["impossible"] = word_or(def.impossible(), "block");
  group["select"] = word_or(def.select(), "concentrated");
  if (!def.custom().empty()) group["custom"] = def.custom();
  if (const auto* turn = state.turns.find(name)) {
    constexpr std::uint64_t kMost = INT32_MAX;
    group["round_robin_index"] = std::min<std::uint64_t>(turn->turn, kMost);
    if (turn->turn > kMost)
      note("group " + name + ": its turn " + std::to_string(turn->turn) + " is more than a file can say");
  }
  if (def.slot_priority_size() > 0)
    group["slot_priority"] = json::array(def.slot_priority().begin(), def.slot_priority().end());
  json::object devices;
  for (const auto& policy : def.devices())
    devices[policy.slot()] = {{"spread", word_or(policy.spread(), "even")},
                              {"quantum", amount(policy.slot(), std::max<Amount>(1, policy.quantum()))},
                              {"allow_fragments", policy.allow_fragments()}};
  group["devices"] = std::move(devices);
  export_preemption(def, group);
  export_fair_share(def, group);
  export_give_up(def, group);
  note_what_is_learned(*this, def);
  return group;
}

void Exporter::export_preemption(const v1::ResourceGroupDefined& def, json::object& group) {
  const v1::Preemption& asked = def.preemption();
  if (!asked.enabled()) return;
  group["preemption"] = {{"enabled", true},
                         {"order", word_or(asked.order(), "oldest")},
                         {"mode", word_or(asked.mode(), "terminate")},
                         {"scope", word_or(word(asked.scope()), "user")},
                         {"min_runtime_s", asked.min_runtime_ms() / 1000}};
  if (asked.min_runtime_ms() % 1000 != 0)
    note("group " + def.name() + ": its min_runtime is rounded down to whole seconds");
}

void Exporter::export_fair_share(const v1::ResourceGroupDefined& def, json::object& group) {
  const v1::FairShare& asked = def.fair_share();
  json::object share;
  if (asked.half_life_days() > 0) share["half_life_days"] = asked.half_life_days();
  if (asked.lookback_days() > 0) share["lookback_days"] = asked.lookback_days();
  json::object weights;
  for (const auto& weight : asked.weights())
    weights[word(weight.scope()) + ":" + owner_name(weight.scope(), weight.id())] =
        format_amount(SlotKind::kCount, weight.weight());
  if (def.order() == "fair-share") export_past_use(def, weights, share);
  if (!weights.empty()) share["weights"] = std::move(weights);
  if (!share.empty()) group["fair_share"] = std::move(share);
  if (asked.slot_weights_size() > 0)
    note("group " + def.name() + ": a file has no place for the weights of slots in fair-share");
}

// As sessions of the file name it.
std::string Exporter::owner_name(v1::ScopeKind scope, const std::string& id) const {
  const auto slash = id.find('/');
  return scope == v1::SCOPE_KIND_PROJECT && slash != std::string::npos
             ? project_name(id.substr(0, slash), id.substr(slash + 1))
             : id;
}

// Who is known and used nothing is named by a weight: without a row it would come last.
void Exporter::export_past_use(const v1::ResourceGroupDefined& def, json::object& weights,
                               json::object& share) {
  const auto found = options.past_use.find(def.name());
  if (found == options.past_use.end()) return;
  json::array history;
  for (const PastUse& use : found->second) {
    const v1::ScopeKind kind = controller::scope_kind_of(use.scope);
    const std::string scope = word(kind), id = owner_name(kind, use.id);
    if (use.days.empty()) weights.emplace(scope + ":" + id, "1");
    for (const auto& [day, by_slot] : use.days) {
      json::object used;
      for (const auto& [slot, seconds] : by_slot) {
        const auto most = std::min<SlotSeconds>(seconds, kAmountMax);
        if (most != seconds)
          note("group " + def.name() + ": what " + id + " used of " + slot + " is more than a file can say");
        used[slot] = amount(slot, static_cast<Amount>(most));
      }
      const std::string midnight = time_text(static_cast<Timestamp>(day) * kDay);
      history.push_back(
          {{"scope", scope}, {"id", id}, {"day", midnight.substr(0, 10)}, {"slots", std::move(used)}});
    }
  }
  if (!history.empty()) share["usage_history"] = std::move(history);
}

// A file gives up and cancels by the group's settings; in the cell each session keeps those with which it was
// asked for. The group's are said where they come to the same now.
void Exporter::export_give_up(const v1::ResourceGroupDefined& def, json::object& group) {
  std::uint32_t attempts = def.max_attempts() == 0 ? 5 : def.max_attempts();
  std::int64_t timeout_s = def.pending_timeout_ms() / 1000;
  bool same = def.pending_timeout_ms() % 1000 == 0, gives_up = false;
  for (const SessionRow* row : sessions) {
    if (row->spec->spec.group() != def.name() || !waits_in_file(*row)) continue;
    gives_up = gives_up || row->attempts >= attempts;
    attempts = std::max(attempts, row->attempts + 1);
    const Duration age = options.now - row->created_at;  // as the file counts it
    const Duration waits = options.now - std::max(row->created_at, row->requeued_at);
    const std::int64_t own = row->spec->spec.pending_timeout_ms();
    same = same && (timeout_s > 0 && age > timeout_s * kSecond) == (own > 0 && waits > own * kMillisecond);
  }
  if (gives_up)
    note("group " + def.name() +
         ": max_attempts is raised in the file, since sessions with a limit of their own passed it");
  if (!same)
    note("group " + def.name() +
         ": pending_timeout is left out, since sessions with a timeout of their own, or that were put back, "
         "differ from it");
  group["max_attempts"] = attempts;
  group["pending_timeout_s"] = same ? timeout_s : 0;
}

json::array Exporter::export_exclusive() {
  json::array sets;
  const v1::ResourceGroupDefined* first = nullptr;
  for (const std::string& name : groups) {
    const auto* row = state.groups.find(name);
    if (row == nullptr) continue;
    const auto text = [](const v1::ResourceGroupDefined& def) {
      std::string all;
      for (const auto& set : def.exclusive()) all += set.SerializeAsString() + ";";
      return all;
    };
    if (first == nullptr)
      first = &row->def;
    else if (text(*first) != text(row->def))
      note("group " + name + ": a file has one list of exclusive slots, that of group " + first->name());
  }
  if (first == nullptr) return sets;
  for (const auto& set : first->exclusive()) {
    json::array names;
    bool known = true;
    for (const auto& slot : set.slots()) {
      known = known && slots.contains(slot);
      names.push_back(json::value(slot));
    }
    if (known) sets.push_back(std::move(names));
  }
  return sets;
}

}  // namespace berth::placement
