#include "projections/limits.h"

#include <algorithm>

#include "events/base/slots/slot_name.h"
#include "events/codec/words/enum_words.h"

namespace berth::projections {
namespace {

// Absurd amounts are accepted and wait; they must not leave 64 bits.
Amount times(Amount amount, std::uint32_t count) {
  const Amount most = kAmountMax / 512;  // of one role; a session has at most 256
  return amount > most / std::max<Amount>(1, count) ? most : amount * static_cast<Amount>(count);
}

// One limit of the session's and what it is compared with.
struct Binding {
  const v1::LimitSet& limit;
  const ScopeUse& use;
  const ScopeUse& also;

  Amount held(const std::string& slot) const { return use.slots.get(slot) + also.slots.get(slot); }
  LimitExcess excess(std::string what, Amount used, Amount asked, Amount most, bool is_count) const {
    return {limit.scope(), limit.id(), std::move(what), used, asked, most, is_count};
  }
};

// Calls f(binding) for each scope of the owner that has a limit, widest first.
template <class F>
void each_binding(const State& state, const SharedOwner& owner, const UsageBook* also, F f) {
  static const UsageBook kNothing;
  if (state.limits.size() == 0) return;
  for (const std::string& scope : owner.scopes) {
    const LimitRow* row = scope.empty() ? nullptr : state.limits.find(scope);
    if (row != nullptr)
      f(Binding{row->def, state.usage().find(scope), (also == nullptr ? kNothing : *also).find(scope)});
  }
}

// What the list allows of a slot; nothing: no limit. `disk` is free unless it is listed: who limited what is
// not listed did so before anybody asked for it.
std::optional<Amount> allowed(const google::protobuf::RepeatedPtrField<v1::SlotLimit>& slots,
                              bool unlisted_is_zero, const std::string& slot) {
  for (const auto& listed : slots)
    if (listed.slot() == slot)
      return listed.unlimited() ? std::nullopt : std::optional<Amount>(listed.most());
  return unlisted_is_zero && slot != kDiskSlot ? std::optional<Amount>(0) : std::nullopt;
}

std::string amount_text(const State& state, const LimitExcess& e, Amount amount) {
  if (e.is_count) return std::to_string(amount);
  const std::string slot = e.what.starts_with("pending ") ? e.what.substr(8) : e.what;
  const SlotTypeRow* type = state.slot_types.find(slot);
  return format_amount_human(type == nullptr ? SlotKind::kCount : static_cast<SlotKind>(type->def.kind()),
                             amount);
}

void check_pending(const Binding& b, const v1::SessionSpec& spec, std::uint32_t ahead,
                   std::vector<LimitExcess>& out) {
  const std::int64_t waiting = b.use.pending + ahead;
  if (b.limit.has_pending() && waiting + 1 > b.limit.pending().most())
    out.push_back(b.excess("pending", waiting, 1, b.limit.pending().most(), true));
  for (const SlotAmount& asked : total_demand(spec)) {
    const auto most = allowed(b.limit.pending_slots(), false, asked.slot);
    const Amount used = b.use.pending_slots.get(asked.slot) + ahead * asked.amount;
    if (most && used + asked.amount > *most)
      out.push_back(b.excess("pending " + asked.slot, used, asked.amount, *most, false));
  }
}

}  // namespace

std::vector<SlotAmount> total_demand(const v1::SessionSpec& spec) {
  SlotSums sums;
  for (const auto& role : spec.roles())
    for (const auto& slot : role.slots())
      if (slot.amount() != 0) sums.add(slot.slot(), times(slot.amount(), role.count()));
  std::vector<SlotAmount> demand = sums.entries();
  std::sort(demand.begin(), demand.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
  return demand;
}

std::optional<Amount> left_of(const State& state, const std::string& scope, const std::string& slot) {
  const LimitRow* row = state.limits.find(scope);
  if (row == nullptr) return std::nullopt;
  const auto most = allowed(row->def.slots(), row->def.unlisted_is_zero(), slot);
  if (!most) return std::nullopt;
  return std::max<Amount>(0, *most - state.usage().find(scope).slots.get(slot));
}

std::vector<LimitExcess> excess_when_placed(const State& state, const SharedOwner& owner,
                                            const v1::SessionSpec& spec, const UsageBook* also) {
  std::vector<LimitExcess> out;
  each_binding(state, owner, also, [&](const Binding& b) {
    const bool system = spec.type() == v1::SYSTEM;
    const std::int64_t live =
        system ? b.use.system_sessions + b.also.system_sessions : b.use.sessions + b.also.sessions;
    const bool counted = system ? b.limit.has_system_sessions() : b.limit.has_sessions();
    const std::int64_t most_live = system ? b.limit.system_sessions().most() : b.limit.sessions().most();
    if (counted && live + 1 > most_live)
      out.push_back(b.excess(system ? "system-sessions" : "sessions", live, 1, most_live, true));
    for (const SlotAmount& asked : total_demand(spec)) {
      const auto most = allowed(b.limit.slots(), b.limit.unlisted_is_zero(), asked.slot);
      if (most && b.held(asked.slot) + asked.amount > *most)
        out.push_back(b.excess(asked.slot, b.held(asked.slot), asked.amount, *most, false));
    }
  });
  return out;
}

std::vector<LimitExcess> excess_when_asked(const State& state, const SharedOwner& owner,
                                           const v1::SessionSpec& spec, std::uint32_t ahead) {
  std::vector<LimitExcess> out;
  each_binding(state, owner, nullptr, [&](const Binding& b) {
    const Amount kernels = kernel_count(spec);
    if (b.limit.has_kernels_per_session() && kernels > b.limit.kernels_per_session().most())
      out.push_back(b.excess("containers", 0, kernels, b.limit.kernels_per_session().most(), true));
    if (b.limit.has_priority() && spec.priority() > b.limit.priority().most())
      out.push_back(b.excess("priority", 0, spec.priority(), b.limit.priority().most(), true));
    check_pending(b, spec, ahead, out);
  });
  return out;
}

std::string limits_text(const State& state, const std::vector<LimitExcess>& all) {
  std::string text =
      all.size() == 1 ? "1 limit is in the way:" : std::to_string(all.size()) + " limits are in the way:";
  for (const LimitExcess& e : all)
    text += "\n- " + word(e.scope) + " " + e.id + ": " + e.what + " " + amount_text(state, e, e.used) +
            " + " + amount_text(state, e, e.asked) + " of " + amount_text(state, e, e.most);
  return text;
}

}  // namespace berth::projections
