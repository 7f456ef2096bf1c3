#include "projections/tables/use/usage_book.h"

#include <algorithm>

namespace berth::projections {
namespace {

// What one role of a waiting session counts at most: 16 TiB, or 17 million of a count. More was never there
// to be had, and so no sum of any number of sessions leaves 64 bits.
constexpr Amount kPendingMax = Amount{1} << 44;

void add_role(SlotSums& sums, const v1::RoleSpec& role, Amount times) {
  for (const auto& slot : role.slots())
    if (slot.amount() != 0) sums.add(slot.slot(), times * slot.amount());
}

}  // namespace

Amount pending_amount(Amount amount, std::uint32_t count) {
  return amount > kPendingMax / std::max<Amount>(1, count) ? kPendingMax
                                                           : amount * static_cast<Amount>(count);
}

SessionUse use_of(const SessionRow* session) {
  if (session == nullptr || is_end(session->status)) return SessionUse::kNone;
  return is_waiting(session->status) ? SessionUse::kPending : SessionUse::kActive;
}

void UsageBook::count(const SharedOwner& owner, const v1::SessionSpec& spec, SessionUse use, int sign) {
  if (use == SessionUse::kNone) return;
  for (const std::string& scope : owner.scopes) {
    if (scope.empty()) continue;
    ScopeUse& held = scopes_[scope];
    if (use == SessionUse::kActive) {
      (spec.type() == v1::SYSTEM ? held.system_sessions : held.sessions) += sign;
      continue;
    }
    held.pending += sign;
    for (const auto& role : spec.roles())
      for (const auto& slot : role.slots())
        if (slot.amount() != 0)
          held.pending_slots.add(slot.slot(), sign * pending_amount(slot.amount(), role.count()));
  }
}

void UsageBook::hold(const SharedOwner& owner, const v1::RoleSpec& role, int sign) {
  for (const std::string& scope : owner.scopes)
    if (!scope.empty()) add_role(scopes_[scope].slots, role, sign);
}

void UsageBook::place(const SharedOwner& owner, const v1::SessionSpec& spec, int sign) {
  for (const auto& role : spec.roles()) hold(owner, role, sign * static_cast<int>(role.count()));
  count(owner, spec, SessionUse::kActive, sign);
}

const ScopeUse& UsageBook::find(const std::string& scope) const {
  static const ScopeUse kNothing;
  const auto it = scopes_.find(scope);
  return it == scopes_.end() ? kNothing : it->second;
}

}  // namespace berth::projections
