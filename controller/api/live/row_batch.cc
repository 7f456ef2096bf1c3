#include "controller/api/live/row_batch.h"

#include "controller/api/identity/identity_json.h"
#include "controller/api/map/agent_json.h"
#include "controller/api/map/check_presets.h"
#include "controller/api/map/definition_json.h"
#include "controller/api/map/limit_json.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller::api {
namespace {

using projections::State;

Audience everybody() { return {true, {}}; }

// Rows are copied whole; what others see of them is for RowView to say.
const projections::Actor& whoever_sees_all() {
  static const projections::Actor actor{"", v1::ROLE_SUPERADMIN, "", {}, {}};
  return actor;
}

void put_agent(WatchedRow& out, const State& state, const SlotKinds& kinds, const std::string& name) {
  const auto* agent = state.agents.find(name);
  if (agent == nullptr) return;
  out.json = agent_to_json(state, kinds, *agent, whoever_sees_all());
  out.group = agent->group;
  // One that never joined is of no group: for those who see all.
  if (const auto* group = state.groups.find(agent->group)) out.audience = audience_of(group->def);
  for (const KernelId& id : state.kernels_on(name))
    if (const auto* kernel = state.kernels.find(id); kernel != nullptr)
      if (state.sessions.find(kernel->session) != nullptr) out.kernel_owners.push_back(kernel->owner);
}

void put_row(WatchedRow& out, const State& state, const RowOwners& owners, Members& members,
             const SlotKinds& kinds) {
  const std::string& key = out.key().second;
  switch (out.table()) {
    case WatchedTable::kSessions: break;  // add_session
    case WatchedTable::kAgents: return put_agent(out, state, kinds, key);
    case WatchedTable::kGroups:
      if (const auto* row = state.groups.find(key)) {
        out.json = group_to_json(kinds, row->def);
        out.audience = audience_of(row->def);
      }
      break;
    case WatchedTable::kImages:
      if (const auto* row = state.images.find(key)) out.json = image_to_json(*row);
      out.audience = everybody();
      break;
    case WatchedTable::kPresets:
      if (const auto* row = state.presets.find(key)) out.json = preset_to_json(kinds, row->def);
      out.audience = everybody();
      break;
    case WatchedTable::kSlots:
      if (const auto* row = state.slot_types.find(key)) out.json = slot_to_json(row->def);
      out.audience = everybody();
      break;
    case WatchedTable::kLimits:
      if (const auto* row = state.limits.find(key)) {
        out.json = limit_to_json(state, kinds, row->def);
        out.audience = owners.of_limit(key);
      }
      break;
    case WatchedTable::kUsers:
      if (const auto* row = state.users.find(key)) {
        out.json = user_to_json(state, row->def);
        out.audience = audience_of(row->def);
      }
      break;
    case WatchedTable::kProjects:
      if (const auto* row = state.projects.find(key)) {
        out.json = project_to_json(state, members, row->def, whoever_sees_all());
        out.audience = audience_of_project(row->def.domain(), row->def.name());
      }
      break;
    case WatchedTable::kDomains:
      if (const auto* row = state.domains.find(key)) {
        out.json = domain_to_json(state, row->def);
        out.audience = audience_of_project(key, "");
      }
      break;
    case WatchedTable::kKeys:
      if (const auto* row = state.key_pairs.find(key)) {
        out.json = key_to_json(row->def);
        out.audience = owners.of_user(row->def.user());
      }
      break;
    case WatchedTable::kBrowserSessions: {
      const auto id = Uuid::parse(key);
      const auto* row = id ? state.browser_sessions.find(*id) : nullptr;
      if (row == nullptr || !owners.sign_ins.contains(key)) break;
      out.json = browser_session_to_json(*row);
      out.audience = owners.of_user(row->user);
      break;
    }
  }
}

}  // namespace

Audience audience_of_user(const std::string& domain, const std::string& user) {
  v1::Owner owner;
  owner.set_domain(domain);
  owner.set_user(user);
  return {false, {owner}};
}

Audience audience_of_project(const std::string& domain, const std::string& project) {
  v1::Owner owner;
  owner.set_domain(domain);
  owner.set_project(project);
  return {false, {owner}};
}

Audience audience_of(const v1::ResourceGroupDefined& group) {
  Audience out{group.open_to().empty(), {}};
  for (const auto& scope : group.open_to()) {
    const auto slash = scope.id().find('/');
    if (scope.scope() == v1::SCOPE_KIND_USER)
      out.add(audience_of_user("", scope.id()));
    else if (scope.scope() == v1::SCOPE_KIND_DOMAIN)
      out.add(audience_of_project(scope.id(), ""));
    else
      out.add(audience_of_project(scope.id().substr(0, slash), scope.id().substr(slash + 1)));
  }
  return out;
}

Audience audience_of(const v1::UserDefined& user) {
  Audience out = audience_of_user(user.domain(), user.name());
  for (const std::string& project : user.projects()) {
    v1::Owner owner = out.owners.front();
    owner.set_project(project);
    out.owners.push_back(owner);
  }
  return out;
}

RowOwners::RowOwners(const State& state) {
  state.users.for_each_unordered(
      [this](const projections::UserRow& row) { domain_of_user[row.def.name()] = row.def.domain(); });
  state.key_pairs.for_each_unordered(
      [this](const projections::KeyPairRow& row) { user_of_key[row.def.id()] = row.def.user(); });
  state.groups.for_each_unordered(
      [this](const projections::GroupRow& row) { of_group[row.def.name()] = audience_of(row.def); });
}

Audience RowOwners::of_user(const std::string& user) const {
  const auto domain = domain_of_user.find(user);
  return audience_of_user(domain == domain_of_user.end() ? "" : domain->second, user);
}

Audience RowOwners::of_limit(const std::string& key) const {
  const auto slash = key.find('/');
  const auto scope = from_word<v1::ScopeKind>(key.substr(0, slash));
  const std::string id = key.substr(slash + 1);
  if (scope == v1::SCOPE_KIND_DOMAIN) return audience_of_project(id, "");
  if (scope == v1::SCOPE_KIND_PROJECT) {
    const auto between = id.find('/');
    return audience_of_project(id.substr(0, between), id.substr(between + 1));
  }
  if (scope == v1::SCOPE_KIND_USER) return of_user(id);
  const auto user = user_of_key.find(id);
  return of_user(user == user_of_key.end() ? "" : user->second);
}

void add_session(RowBatch& batch, const State& state, const SessionId& id,
                 const std::vector<projections::SessionShare>& withdrawn) {
  const auto* session = state.sessions.find(id);
  if (session == nullptr) return;
  auto copy = std::make_unique<SessionCopy>(SessionCopy{*session,
                                                        {},
                                                        {},
                                                        {},
                                                        projections::automatic_folder_in(state, *session),
                                                        projections::gone_agent(state, *session)});
  for (const KernelId& kernel : session->kernel_ids)
    if (const auto* row = state.kernels.find(kernel)) copy->kernels.push_back(*row);
  if (session->spec)
    for (const auto& mount : session->spec->spec.mounts()) {
      const auto folder = Uuid::from_bytes(mount.folder());
      const auto* row = folder ? state.folders.find(FolderId(*folder)) : nullptr;
      copy->folders.push_back(row == nullptr ? projections::FolderRow() : *row);
    }
  if (const auto* shares = state.session_shares.find(id)) copy->shares = *shares;
  auto row = std::make_unique<WatchedRow>(RowKey(WatchedTable::kSessions, to_string(id)), batch.position);
  row->session = std::move(copy);
  const v1::Owner& owner = session->owner->owner;
  batch.sessions_of_user[owner.user()].push_back(row.get());
  batch.sessions_of_project[{owner.domain(), owner.project()}].push_back(row.get());
  for (const auto* shares : {&row->session->shares.shares, &withdrawn})
    for (const auto& share : *shares) batch.sessions_shared[share].push_back(row.get());
  batch.sessions.push_back(std::move(row));
}

void add_row(RowBatch& batch, const State& state, const RowOwners& owners, Members& members,
             const RowKey& key, const Audience& before) {
  auto row = std::make_unique<WatchedRow>(key, batch.position);
  put_row(*row, state, owners, members, batch.kinds);
  row->before = before;
  if (row->is_there() || row->audience.everybody || row->before.everybody || !row->before.owners.empty())
    batch.others.push_back(std::move(row));
}

}  // namespace berth::controller::api
