#include "controller/feed/fair_share_book.h"

#include "events/codec/words/enum_words.h"

namespace berth::controller {

using placement::Cluster;
using projections::DayUsageRow;
using projections::KernelRow;
using projections::SessionRow;
using projections::SharedOwner;
using projections::State;

namespace {

// What the scheduler has no name for was never asked for.
std::vector<placement::SlotAmount> named_slots(const KernelRow& kernel, const Cluster& cluster) {
  std::vector<placement::SlotAmount> slots;
  for (const auto& slot : kernel.role_spec().slots())
    if (const auto id = cluster.find_slot(slot.slot())) slots.push_back({*id, slot.amount()});
  return slots;
}

placement::FairShareRow named_row(const std::string& scope) {
  const auto slash = scope.find('/');
  placement::FairShareRow row;
  const auto kind = from_word<v1::ScopeKind>(scope.substr(0, slash));
  row.scope = share_scope_of(kind.value_or(v1::SCOPE_KIND_UNSPECIFIED));
  row.id = scope.substr(slash + 1);
  return row;
}

}  // namespace

placement::ShareScope share_scope_of(v1::ScopeKind kind) {
  return kind == v1::SCOPE_KIND_DOMAIN    ? placement::ShareScope::kDomain
         : kind == v1::SCOPE_KIND_PROJECT ? placement::ShareScope::kProject
                                          : placement::ShareScope::kUser;
}

v1::ScopeKind scope_kind_of(placement::ShareScope scope) {
  return scope == placement::ShareScope::kDomain    ? v1::SCOPE_KIND_DOMAIN
         : scope == placement::ShareScope::kProject ? v1::SCOPE_KIND_PROJECT
                                                    : v1::SCOPE_KIND_USER;
}

std::vector<std::string> shared_scopes(const SharedOwner& owner) {
  std::vector<std::string> scopes;
  for (const std::string& scope : owner.scopes)
    if (!scope.empty() && !scope.starts_with("keypair/")) scopes.push_back(scope);
  return scopes;
}

void FairShareBook::on_group(const v1::ResourceGroupDefined& def) {
  if (def.order() != "fair-share") {
    groups_.erase(def.name());
    return;
  }
  Group& group = groups_[def.name()];
  group.lookback = def.fair_share().lookback_days() == 0 ? placement::FairShareSettings{}.lookback_days
                                                         : def.fair_share().lookback_days();
  group.weights.clear();
  for (const auto& weight : def.fair_share().weights()) {
    const std::string scope = word(weight.scope()) + "/" + weight.id();
    group.weights[scope] = weight.weight();
    group.known.insert(scope);
  }
  group.all = true;
}

void FairShareBook::know(Group& group, const SharedOwner& owner) {
  for (std::string& scope : shared_scopes(owner))
    if (group.known.insert(scope).second) group.changed.insert(std::move(scope));
}

void FairShareBook::on_owner(const std::string& name, const SharedOwner& owner) {
  if (const auto group = groups_.find(name); group != groups_.end()) know(group->second, owner);
}

void FairShareBook::on_agents() {
  for (auto& [name, group] : groups_) group.all = true;
}

void FairShareBook::on_day_usage(const DayUsageRow& row) {
  const auto group = groups_.find(row.group);
  if (group == groups_.end()) return;
  group->second.known.insert(row.scope);
  group->second.changed.insert(row.scope);
}

// What ended is in the folded usage from now on.
void FairShareBook::on_kernel(const KernelRow* before, const KernelRow* after, const Cluster& cluster) {
  if (groups_.empty()) return;
  const auto found = groups_.find((after != nullptr ? after : before)->spec->spec.group());
  if (found == groups_.end()) return;
  Group& group = found->second;
  const bool held = before != nullptr && before->holds_slots();
  const bool holds = after != nullptr && after->holds_slots();
  if (held == holds) return;
  if (holds) {
    if (after->state != projections::KernelState::kScheduled)
      group.recount = group.all = true;  // an end that was undone
    return;
  }
  const auto counted = group.counted.find(before->id);
  if (counted == group.counted.end()) return;
  for (const std::string& scope : shared_scopes(*before->owner)) {
    placement::subtract_usage(&group.live[scope], {counted->second, group.boundary},
                              named_slots(*before, cluster));
    group.changed.insert(scope);
  }
  group.counted.erase(counted);
}

void FairShareBook::read_known(const State& state) {
  state.day_usage.for_each_unordered([this](const DayUsageRow& row) {
    const auto group = groups_.find(row.group);
    if (group != groups_.end() && group->second.fresh) group->second.known.insert(row.scope);
  });
  for (const auto& [created, id] : state.pending()) {
    const SessionRow& session = *state.sessions.find(id);
    const auto group = groups_.find(session.spec->spec.group());
    if (group != groups_.end() && group->second.fresh) know(group->second, *session.owner);
  }
  for (auto& [name, group] : groups_) group.fresh = false;
}

void FairShareBook::recount(const State& state, const Cluster& cluster) {
  for (auto& [name, group] : groups_) {
    if (!group.recount) continue;
    group.live.clear();
    group.counted.clear();
  }
  state.kernels.for_each_unordered([&](const KernelRow& kernel) {
    if (!kernel.holds_slots()) return;
    const auto found = groups_.find(kernel.spec->spec.group());
    if (found == groups_.end() || !found->second.recount) return;
    Group& group = found->second;
    know(group, *kernel.owner);
    const Timestamp since = state.sessions.find(kernel.session)->scheduled_at;
    if (since >= group.boundary) return;
    const auto slots = named_slots(kernel, cluster);
    for (const std::string& scope : shared_scopes(*kernel.owner))
      placement::add_usage(&group.live[scope], {since, group.boundary}, slots);
    group.counted[kernel.id] = since;
  });
  for (auto& [name, group] : groups_) group.recount = false;
}

placement::FairShareRow FairShareBook::row_of(const State& state, const std::string& name, const Group& group,
                                              const std::string& scope, const Cluster& cluster) {
  placement::FairShareRow row = named_row(scope);
  if (const auto weight = group.weights.find(scope); weight != group.weights.end())
    row.weight = weight->second;
  if (const auto live = group.live.find(scope); live != group.live.end()) row.usage = live->second;
  const std::int32_t today = day_of(group.boundary);
  for (std::int32_t day = today - group.lookback + 1; day <= today; ++day) {
    const DayUsageRow* folded = state.day_usage.find(DayUsageRow::make_key(name, scope, day));
    if (folded == nullptr) continue;
    for (const auto& use : folded->slots)
      if (const auto slot = cluster.find_slot(use.slot)) row.usage[day][*slot] += use.seconds();
  }
  return row;
}

void FairShareBook::refresh(const State& state, Timestamp now, Cluster& cluster) {
  if (groups_.empty()) return;
  bool fresh = false, recounts = false;
  for (auto& [name, group] : groups_) {
    if (group.boundary != slice_boundary(now)) {
      group.boundary = slice_boundary(now);
      group.recount = group.all = true;
    }
    fresh = fresh || group.fresh;
    recounts = recounts || group.recount;
  }
  if (fresh) read_known(state);
  if (recounts) recount(state, cluster);
  for (auto& [name, group] : groups_) {
    if (group.all) group.changed = group.known;
    group.all = false;
    if (group.changed.empty()) continue;
    std::vector<placement::FairShareRow> rows;
    for (const std::string& scope : group.changed) rows.push_back(row_of(state, name, group, scope, cluster));
    group.changed.clear();
    cluster.change_fair_share(name, rows, day_of(group.boundary));
  }
}

std::vector<placement::FairShareRow> FairShareBook::rows(const State& state, const std::string& name,
                                                         const Cluster& cluster) const {
  std::vector<placement::FairShareRow> rows;
  const auto group = groups_.find(name);
  if (group == groups_.end()) return rows;
  for (const std::string& scope : group->second.known)
    rows.push_back(row_of(state, name, group->second, scope, cluster));
  return rows;
}

}  // namespace berth::controller
