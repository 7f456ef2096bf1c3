#include "controller/api/live/row_feed.h"

#include <algorithm>

#include "controller/api/live/row_watcher.h"
#include "events/base/checks.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller::api {
namespace {

using projections::SessionRow;
using std::chrono::steady_clock;

// The row that there is, of a change.
template <class Row> const Row& either(const Row* before, const Row* after) {
  BERTH_CHECK(before != nullptr || after != nullptr, "a change of no row");
  return after != nullptr ? *after : *before;
}

bool looks_ending(const SessionRow* session) {
  return session != nullptr && (session->terminating || session->rescheduling);
}

bool counts_as_live(const SessionRow* session) {
  return session != nullptr && !projections::is_end(session->status);
}

bool same_rights(const v1::UserDefined& a, const v1::UserDefined& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  return a.role() == b.role() && a.domain() == b.domain() && a.disabled() == b.disabled() &&
         equal(a.projects(), b.projects()) && equal(a.admin_of(), b.admin_of());
}

bool same_rights(const v1::KeyPairDefined& a, const v1::KeyPairDefined& b) {
  return a.active() == b.active() && a.expires_ns() == b.expires_ns() && a.read_only() == b.read_only();
}

bool same_scopes(const v1::ResourceGroupDefined& a, const v1::ResourceGroupDefined& b) {
  return std::equal(a.open_to().begin(), a.open_to().end(), b.open_to().begin(), b.open_to().end(),
                    [](const auto& x, const auto& y) { return x.scope() == y.scope() && x.id() == y.id(); });
}

}  // namespace

// ---- what changes ----

void RowFeed::touch(WatchedTable table, const std::string& key, const Audience& before) {
  if (!keeps(table)) return;
  touched_.rows[{table, key}].add(before);
  plan();
}

void RowFeed::change_rights(RightsChange::Of of, const std::string& id, Code code) {
  touched_.changes.push_back({of, id, code});
  plan();
}

void RowFeed::touch_limits(const projections::OwnerPtr& owner) {
  for (const std::string& scope : owner->scopes)
    if (!scope.empty()) touch(WatchedTable::kLimits, scope);
}

void RowFeed::touch_counts_of(const v1::Owner& owner) {
  touch(WatchedTable::kUsers, owner.user());
  touch(WatchedTable::kProjects, owner.domain() + "/" + owner.project());
  touch(WatchedTable::kDomains, owner.domain());
}

void RowFeed::touch_memberships_of(const v1::UserDefined& user) {
  for (const std::string& project : user.projects())
    touch(WatchedTable::kProjects, user.domain() + "/" + project);
}

void RowFeed::on_row(const SessionRow* before, const SessionRow* after) {
  live_sessions_.on_row(before, after);
  session_texts_.on_row(either(before, after));
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const SessionRow& row = either(before, after);
  if (after == nullptr) {
    // It left for history. Where its end was not told yet nobody can copy it any more: this server is far
    // behind.
    if (projections::is_end(row.status) && touched_.sessions.contains(row.id))
      change_rights(RightsChange::Of::kEverybody, "", "too-old");
    return;
  }
  if (keeps(WatchedTable::kSessions)) touched_.sessions.insert(row.id);
  if (looks_ending(before) != looks_ending(after) && keeps(WatchedTable::kAgents))
    touched_.ending.insert(row.id);
  if (counts_as_live(before) != counts_as_live(after)) touch_counts_of(row.owner->owner);
  if (before == nullptr || before->status != after->status) touch_limits(row.owner);
  if (!touched_.empty()) plan();
}

void RowFeed::on_row(const projections::SessionShareRow* before, const projections::SessionShareRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_ || !keeps(WatchedTable::kSessions)) return;
  auto& withdrawn = touched_.shares[either(before, after).session];
  if (before != nullptr)
    for (const projections::SessionShare& share : before->shares)
      if (after == nullptr || std::ranges::count(after->shares, share) == 0) withdrawn.push_back(share);
  plan();
}

void RowFeed::on_row(const projections::KernelRow* before, const projections::KernelRow* after) {
  session_texts_.on_row(either(before, after));
  const std::lock_guard lock(mutex_);
  const bool held = before != nullptr && before->holds_slots(),
             holds = after != nullptr && after->holds_slots();
  if (!active_ || (!held && !holds)) return;
  const projections::KernelRow& row = either(before, after);
  if (keeps(WatchedTable::kSessions)) touched_.sessions.insert(row.session);
  touch(WatchedTable::kAgents, row.agent);
  if (held != holds && row.owner) touch_limits(row.owner);
  if (!touched_.empty()) plan();
}

void RowFeed::on_row(const projections::AgentRow* before, const projections::AgentRow* after) {
  session_texts_.on_row(before, after);
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  if (keeps(WatchedTable::kSessions) && projections::is_shown_otherwise(before, after)) {
    touched_.agents.insert(either(before, after).name);
    plan();
  }
  const bool moved = before != nullptr && (after == nullptr || before->group != after->group);
  const auto group = moved ? owners_.of_group.find(before->group) : owners_.of_group.end();
  const bool known = group != owners_.of_group.end();
  touch(WatchedTable::kAgents, either(before, after).name, known ? group->second : Audience{moved, {}});
}

void RowFeed::on_row(const projections::SlotTypeRow* before, const projections::SlotTypeRow* after) {
  session_texts_.forget();
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  touch(WatchedTable::kSlots, either(before, after).def.name());
  // Amounts of all rows are written as their slot types say.
  change_rights(RightsChange::Of::kEverybody, "", "definitions-changed");
}

void RowFeed::on_row(const projections::GroupRow* before, const projections::GroupRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const std::string& name = either(before, after).def.name();
  touch(WatchedTable::kGroups, name, after == nullptr ? audience_of(before->def) : Audience{});
  if (after != nullptr) owners_.of_group[name] = audience_of(after->def);
  if (before != nullptr && after != nullptr && !same_scopes(before->def, after->def))
    change_rights(RightsChange::Of::kNotAll, "", "rights-changed");
}

void RowFeed::on_row(const projections::DomainRow* before, const projections::DomainRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const std::string& name = either(before, after).def.name();
  touch(WatchedTable::kDomains, name, audience_of_project(name, ""));
}

void RowFeed::on_row(const projections::ProjectRow* before, const projections::ProjectRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const v1::ProjectDefined& project = either(before, after).def;
  touch(WatchedTable::kProjects, project.domain() + "/" + project.name(),
        audience_of_project(project.domain(), project.name()));
  if (before == nullptr || after == nullptr) touch(WatchedTable::kDomains, project.domain());
}

void RowFeed::on_row(const projections::UserRow* before, const projections::UserRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const v1::UserDefined& user = either(before, after).def;
  owners_.domain_of_user[user.name()] = user.domain();
  touch(WatchedTable::kUsers, user.name(), before == nullptr ? Audience{} : audience_of(before->def));
  for (const auto* row : {before, after}) {
    if (row == nullptr) continue;
    touch_memberships_of(row->def);
    touch(WatchedTable::kDomains, row->def.domain());
  }
  if (before == nullptr || (after != nullptr && same_rights(before->def, after->def))) return;
  const bool out = after == nullptr || after->def.disabled();
  change_rights(RightsChange::Of::kUser, user.name(), out ? Code("signed-out") : Code("rights-changed"));
}

void RowFeed::on_row(const projections::KeyPairRow* before, const projections::KeyPairRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const v1::KeyPairDefined& key = either(before, after).def;
  owners_.user_of_key[key.id()] = key.user();
  touch(WatchedTable::kKeys, key.id(), owners_.of_user(key.user()));
  if (before == nullptr || (after != nullptr && same_rights(before->def, after->def))) return;
  const bool out = after == nullptr || !after->def.active();
  change_rights(RightsChange::Of::kKey, key.id(), out ? Code("signed-out") : Code("rights-changed"));
}

// Its streams end, whatever changed: who comes again is looked at anew.
void RowFeed::on_row(const projections::ProducerRow* before, const projections::ProducerRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_ || before == nullptr) return;
  const bool out =
      after == nullptr || after->def.disabled() || after->def.generation() != before->def.generation();
  change_rights(RightsChange::Of::kKey, "producer:" + before->def.name(),
                out ? Code("signed-out") : Code("rights-changed"));
}

void RowFeed::on_row(const projections::ImageRow* before, const projections::ImageRow* after) {
  const std::lock_guard lock(mutex_);
  if (active_) touch(WatchedTable::kImages, either(before, after).def.reference());
}

void RowFeed::on_row(const projections::LimitRow* before, const projections::LimitRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const v1::LimitSet& limit = either(before, after).def;
  const std::string key = word(limit.scope()) + "/" + limit.id();
  touch(WatchedTable::kLimits, key, owners_.of_limit(key));
}

void RowFeed::on_row(const projections::PresetRow* before, const projections::PresetRow* after) {
  const std::lock_guard lock(mutex_);
  if (active_) touch(WatchedTable::kPresets, either(before, after).def.name());
}

void RowFeed::on_row(const projections::PasswordRow* before, const projections::PasswordRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const std::string& user = either(before, after).def.user();
  touch(WatchedTable::kUsers, user);
  change_rights(RightsChange::Of::kUser, user, "rights-changed");
}

void RowFeed::on_row(const projections::LoginLinkRow* before, const projections::LoginLinkRow* after) {
  const std::lock_guard lock(mutex_);
  if (active_) touch(WatchedTable::kUsers, either(before, after).def.user());
}

void RowFeed::on_row(const projections::BrowserSessionRow* before,
                     const projections::BrowserSessionRow* after) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  const projections::BrowserSessionRow& row = either(before, after);
  touch(WatchedTable::kBrowserSessions, to_string(row.id), owners_.of_user(row.user));
  if (after == nullptr)
    owners_.sign_ins.erase(to_string(row.id));
  else if (keeps(WatchedTable::kBrowserSessions))
    note_sign_in(*after);
  if (after == nullptr) change_rights(RightsChange::Of::kBrowserSession, to_string(row.id), "signed-out");
}

void RowFeed::on_replaced() {
  live_sessions_.forget();
  session_texts_.forget();
  const std::lock_guard lock(mutex_);
  ++rebuilds_;
  end();
  quick_.post([this] { wake_all(); });
}

// ---- batches ----

// REQUIRES: a lock of the state is held.
void RowFeed::begin(const StateView& view, const WatchedTables& tables) {
  if (!active_) {
    active_ = true;
    from_ = view.position;
    owners_ = RowOwners(view.state);
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (!tables.test(i)) continue;
    ++tables_[i].watchers;
    tables_[i].watched = steady_clock::now();
    if (std::exchange(tables_[i].kept, true)) continue;
    tables_[i].from = view.position;
    if (static_cast<WatchedTable>(i) != WatchedTable::kBrowserSessions) continue;
    view.state.browser_sessions.for_each_unordered(
        [this](const projections::BrowserSessionRow& row) { note_sign_in(row); });
    if (!std::exchange(ending_sign_ins_, true))
      quick_.post_after(limits_.position, [this] { end_sign_ins(); });
  }
}

bool RowFeed::reaches_back(Offset position, const WatchedTables& tables) const {
  if (position < from_) return false;
  for (std::size_t i = 0; i < tables_.size(); ++i)
    if (tables.test(i) && position < tables_[i].from) return false;
  return true;
}

// Those that nobody has watched for a while.
void RowFeed::let_go_of_tables() {
  bool any = false;
  for (KeptTable& table : tables_) {
    if (table.watchers != 0) table.watched = built_;
    table.kept = table.kept && built_ - table.watched <= limits_.linger;
    any = any || table.kept;
  }
  if (!keeps(WatchedTable::kBrowserSessions)) owners_.sign_ins.clear();
  if (!any) end();
}

void RowFeed::note_sign_in(const projections::BrowserSessionRow& row) {
  owners_.sign_ins[to_string(row.id)] = {row.user, end_of(row, idle_)};
}

void RowFeed::end_sign_ins() {
  const std::lock_guard lock(mutex_);
  ending_sign_ins_ = keeps(WatchedTable::kBrowserSessions) && !stopped_;
  if (!ending_sign_ins_) return;
  const Timestamp now = context_.now();
  std::erase_if(owners_.sign_ins, [&](const auto& entry) {
    const SignedIn& sign_in = entry.second;
    if (sign_in.ends <= now)
      touch(WatchedTable::kBrowserSessions, entry.first, owners_.of_user(sign_in.user));
    return sign_in.ends <= now;
  });
  quick_.post_after(limits_.position, [this] { end_sign_ins(); });
}

void RowFeed::end() {
  active_ = false;
  for (KeptTable& table : tables_) table.kept = false;
  touched_ = {};
  owners_ = {};
  told_sessions_.clear();
  told_rows_.clear();
  ring_.clear();
  rows_in_ring_ = 0;
}

void RowFeed::plan() {
  if (planned_ || stopped_) return;
  planned_ = true;
  const auto now = steady_clock::now();
  const auto gap = watchers_.size() > limits_.many ? limits_.gap_of_many : limits_.gap;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(built_ + gap - now);
  quick_.post_after(std::max(wait, std::chrono::milliseconds(0)), [this] { build(); });
}

// What the next batch tells. One that is not complete leaves out what was told a moment ago.
RowFeed::Touched RowFeed::take(bool complete) {
  Touched taken = std::exchange(touched_, {});
  if (complete) {
    told_sessions_.clear();
    told_rows_.clear();
  }
  for (const SessionId& id : told_sessions_) {
    if (taken.sessions.erase(id) != 0) touched_.sessions.insert(id);
    if (auto shares = taken.shares.extract(id); !shares.empty()) touched_.shares.insert(std::move(shares));
  }
  for (const RowKey& key : told_rows_)
    if (auto row = taken.rows.extract(key); !row.empty()) touched_.rows.insert(std::move(row));
  for (const auto& [id, withdrawn] : taken.shares) taken.sessions.insert(id);
  told_sessions_.insert(taken.sessions.begin(), taken.sessions.end());
  for (const auto& [key, before] : taken.rows) told_rows_.insert(key);
  return taken;
}

void RowFeed::build() {
  auto batch = std::make_shared<RowBatch>();
  context_.with_state([&](const StateView& view) {
    const std::lock_guard lock(mutex_);
    const auto now = steady_clock::now();
    built_ = now;
    const bool complete = now - complete_ >= limits_.row_gap;
    for (const SessionId& id : touched_.ending)
      if (const SessionRow* session = view.state.sessions.find(id))
        for (const KernelId& kernel : session->kernel_ids)
          if (const auto* row = view.state.kernels.find(kernel))
            touched_.rows[{WatchedTable::kAgents, row->agent}];
    touched_.ending.clear();
    for (const std::string& agent : touched_.agents)
      for (const KernelId& kernel : view.state.kernels_on(agent))
        touched_.sessions.insert(view.state.kernels.find(kernel)->session);
    touched_.agents.clear();
    const Touched taken = take(complete);
    if (complete) complete_ = now;
    batch->position = view.position;
    batch->complete = touched_.empty();
    batch->kinds = SlotKinds(view.state);
    batch->changes = taken.changes;
    static const std::vector<projections::SessionShare> none;
    for (const SessionId& id : taken.sessions) {
      const auto shares = taken.shares.find(id);
      add_session(*batch, view.state, id, shares == taken.shares.end() ? none : shares->second);
    }
    Members members(view.state);
    for (const auto& [key, before] : taken.rows) add_row(*batch, view.state, owners_, members, key, before);
    planned_ = false;
    if (!active_) return;
    if (complete || !taken.empty()) publish(batch);
    if (!touched_.empty()) plan();
  });
  wake_all();
}

void RowFeed::publish(std::shared_ptr<RowBatch> batch) {
  batch->number = next_++;
  rows_in_ring_ += batch->rows();
  ring_.push_back(std::move(batch));
  while (rows_in_ring_ > limits_.rows && ring_.size() > 1) {
    rows_in_ring_ -= ring_.front()->rows();
    from_ = std::max(from_, ring_.front()->position);
    ring_.pop_front();
  }
  let_go_of_tables();
}

// ---- watchers ----

std::shared_ptr<FrameStream> RowFeed::watch(const Caller& caller, const WatchFilter& filter,
                                            std::optional<Offset> after) {
  std::shared_ptr<RowWatcher> watcher;
  context_.with_state([&](const StateView& view) {
    const projections::Actor actor = actor_of(view.state, caller);
    const Timestamp until = signed_in_until(view.state, caller);
    const std::lock_guard lock(mutex_);
    begin(view, filter.tables);
    RowWatcher::Place place{next_, rebuilds_, until, std::nullopt, {}};
    if (!after) {
      place.position = view.position;
    } else if (!reaches_back(*after, filter.tables)) {
      place.refused = "too-old";
    } else {
      const auto first = std::find_if(ring_.begin(), ring_.end(),
                                      [&](const auto& batch) { return batch->position > *after; });
      if (first != ring_.end()) place.next = (*first)->number;
    }
    watcher = std::make_shared<RowWatcher>(*this, RowView(actor, caller, filter), place);
    watchers_.emplace(watcher.get(), Watched{watcher, filter.tables});
  });
  return watcher;
}

RowFeed::Look RowFeed::look(std::uint64_t next, std::uint64_t rebuilds) const {
  const std::lock_guard lock(mutex_);
  if (stopped_) return {Life::kStopped, {}};
  if (rebuilds != rebuilds_) return {Life::kRebuilt, {}};
  const std::uint64_t first = next_ - ring_.size();
  if (next < first) return {Life::kBehind, {}};
  Look out;
  std::size_t rows = 0;
  for (std::size_t i = next - first; i < ring_.size() && rows < limits_.rows_at_once; ++i) {
    out.batches.push_back(ring_[i]);
    rows += ring_[i]->rows();
  }
  return out;
}

std::optional<Offset> RowFeed::told_up_to(std::uint64_t next) {
  std::optional<Offset> position;
  context_.with_state([&](const StateView& view) {
    const std::lock_guard lock(mutex_);
    if (touched_.empty() && next == next_) position = view.position;
  });
  return position;
}

void RowFeed::forget(const RowWatcher* watcher) {
  const std::lock_guard lock(mutex_);
  const auto found = watchers_.find(watcher);
  for (std::size_t i = 0; i < tables_.size(); ++i)
    if (found->second.tables.test(i)) --tables_[i].watchers;
  watchers_.erase(found);
}

std::size_t RowFeed::watchers() const {
  const std::lock_guard lock(mutex_);
  return watchers_.size();
}

void RowFeed::wake_all() {
  std::vector<std::shared_ptr<RowWatcher>> watchers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, watched] : watchers_)
      if (auto alive = watched.watcher.lock()) watchers.push_back(std::move(alive));
  }
  for (const auto& watcher : watchers) watcher->look();
}

void RowFeed::stop() {
  context_.set_row_listener(nullptr);
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_all();
}

}  // namespace berth::controller::api
