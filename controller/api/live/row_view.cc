#include "controller/api/live/row_view.h"

#include <algorithm>

#include "controller/api/map/agent_json.h"
#include "controller/api/map/definition_json.h"
#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

using projections::Noun;
using projections::Reach;
using projections::Verb;

Noun noun_of(WatchedTable table) {
  switch (table) {
    case WatchedTable::kSessions: return Noun::kSession;
    case WatchedTable::kAgents:  // an agent is known to whom its group is open
    case WatchedTable::kGroups: return Noun::kGroup;
    case WatchedTable::kImages: return Noun::kImage;
    case WatchedTable::kPresets: return Noun::kPreset;
    case WatchedTable::kSlots: return Noun::kSlotType;
    case WatchedTable::kUsers: return Noun::kUser;
    case WatchedTable::kProjects: return Noun::kProject;
    case WatchedTable::kDomains: return Noun::kDomain;
    case WatchedTable::kKeys: return Noun::kKey;
    case WatchedTable::kLimits: return Noun::kLimit;
    case WatchedTable::kBrowserSessions: return Noun::kBrowserSession;
  }
  return Noun::kJournal;
}

SessionFilter without_state(SessionFilter filter) {
  filter.statuses.clear();
  return filter;
}

}  // namespace

RowView::RowView(projections::Actor actor, const Caller& caller, WatchFilter filter)
    : actor_(std::move(actor)),
      access_key_(caller.access_key),
      browser_session_(to_string(caller.browser_session)),
      filter_(std::move(filter)),
      whatever_state_(without_state(filter_.sessions)),
      sessions_(projections::reach(actor_, Noun::kSession, Verb::kSee)) {}

Code RowView::ended_by(const RowBatch& batch) const {
  using Of = RightsChange::Of;
  for (const RightsChange& change : batch.changes) {
    const bool mine =
        change.of == Of::kEverybody || (change.of == Of::kUser && change.id == actor_.user) ||
        (change.of == Of::kKey && change.id == access_key_) ||
        (change.of == Of::kBrowserSession && change.id == browser_session_) ||
        (change.of == Of::kNotAll && projections::reach(actor_, Noun::kGroup, Verb::kSee) != Reach::kAll);
    if (mine) return change.code;
  }
  return {};
}

void RowView::tell(const RowBatch& batch, std::set<RowKey>& told, std::vector<Frame>& frames) const {
  if (filter_.tables.test(static_cast<std::size_t>(WatchedTable::kSessions)))
    tell_sessions(batch, told, frames);
  for (const auto& row : batch.others)
    if (filter_.tables.test(static_cast<std::size_t>(row->table())) && !told.contains(row->key()) &&
        tell_other(batch, *row, frames))
      told.insert(row->key());
}

void RowView::tell_sessions(const RowBatch& batch, std::set<RowKey>& told, std::vector<Frame>& frames) const {
  const auto tell_all = [&](const auto& map, const auto& key) {
    const auto found = map.find(key);
    if (found == map.end()) return;
    for (const WatchedRow* row : found->second) tell_session(batch, *row, told, frames);
  };
  if (!batch.sessions_shared.empty() && sessions_ != Reach::kAll) {
    tell_all(batch.sessions_shared, projections::SessionShare{v1::SCOPE_KIND_USER, actor_.user});
    for (const std::string& project : actor_.projects)
      tell_all(batch.sessions_shared,
               projections::SessionShare{v1::SCOPE_KIND_PROJECT, actor_.domain + "/" + project});
  }
  if (sessions_ == Reach::kAll || sessions_ == Reach::kDomain) {
    for (const auto& row : batch.sessions)
      if (projections::may(actor_, Noun::kSession, Verb::kSee, row->session->session.owner->owner))
        tell_session(batch, *row, told, frames);
    return;
  }
  if (sessions_ == Reach::kNone) return;
  tell_all(batch.sessions_of_user, actor_.user);
  if (sessions_ != Reach::kProject) return;
  for (const std::string& project : actor_.admin_of)
    tell_all(batch.sessions_of_project, std::pair(actor_.domain, project));
}

// Name, group and owner of a session stay: only its status takes it out of a filter, and a share that was
// withdrawn out of sight.
void RowView::tell_session(const RowBatch& batch, const WatchedRow& row, std::set<RowKey>& told,
                           std::vector<Frame>& frames) const {
  const projections::SessionRow& session = row.session->session;
  if (!whatever_state_.matches(session) || !told.insert(row.key()).second) return;
  const bool is_seen = may_see_session(actor_, session.owner->owner, &row.session->shares);
  if (!is_seen || !filter_.sessions.matches(session)) return frames.push_back(row.gone());
  frames.push_back(row.differs_for(actor_) ? row.put_for(batch.kinds, actor_) : row.put(batch.kinds));
}

bool RowView::tell_other(const RowBatch& batch, const WatchedRow& row, std::vector<Frame>& frames) const {
  const bool in_filter = row.table() != WatchedTable::kAgents || filter_.group.empty() || !row.is_there() ||
                         row.group == filter_.group;
  const bool seen = sees(row.table(), row.audience);
  const bool is_put = row.is_there() && seen && in_filter;
  if (!is_put && !seen && !sees(row.table(), row.before)) return false;
  frames.push_back(is_put ? put(batch, row) : row.gone());
  return true;
}

bool RowView::sees(WatchedTable table, const Audience& audience) const {
  if (table == WatchedTable::kBrowserSessions)  // one's own alone, as GET without a user
    return std::any_of(audience.owners.begin(), audience.owners.end(),
                       [&](const v1::Owner& owner) { return owner.user() == actor_.user; });
  if (audience.everybody) return projections::reach(actor_, noun_of(table), Verb::kSee) != Reach::kNone;
  return std::any_of(audience.owners.begin(), audience.owners.end(), [&](const v1::Owner& owner) {
    return projections::may(actor_, noun_of(table), Verb::kSee, owner);
  });
}

bool RowView::sees_all_of(Noun noun) const {
  return projections::reach(actor_, noun, Verb::kSee) == Reach::kAll;
}

// As GET shows the row to this caller.
Frame RowView::put(const RowBatch& batch, const WatchedRow& row) const {
  const auto without = [&](const char* member) {
    boost::json::object part = *row.json;
    part[member] = nullptr;
    return row.put(part);
  };
  if (row.table() == WatchedTable::kAgents && !sees_all_of(Noun::kAgent)) return put_agent(row);
  if (row.table() == WatchedTable::kGroups && !sees_all_of(Noun::kGroup)) {
    boost::json::object group = *row.json;
    hide_others(group, actor_);
    return row.put(group);
  }
  if (row.table() == WatchedTable::kProjects &&
      !projections::may(actor_, Noun::kMembership, Verb::kSee, row.audience.owners.front()))
    return without("members");
  if (row.key() == RowKey(WatchedTable::kBrowserSessions, browser_session_)) {
    boost::json::object mine = *row.json;
    mine["current"] = true;
    return row.put(mine);
  }
  return row.put(batch.kinds);
}

// Its amounts, and those of its kernels that are the caller's to see.
Frame RowView::put_agent(const WatchedRow& row) const {
  boost::json::object agent = *row.json;
  hide_machine(agent);
  boost::json::array& kernels = agent["kernels"].as_array();
  boost::json::array mine;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (projections::may(actor_, Noun::kAgent, Verb::kSee, row.kernel_owners[i]->owner))
      mine.push_back(std::move(kernels[i]));
  kernels = std::move(mine);
  return row.put(agent);
}

}  // namespace berth::controller::api
