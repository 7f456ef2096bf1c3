// Removing a definition or an agent: only what nothing live uses, and its name is never given again.
#include <algorithm>
#include <set>

#include "controller/decide/decide.h"
#include "controller/decide/folders/automatic_folder.h"
#include "controller/decide/identity/identity_checks.h"
#include "controller/decide/producers/check_producer.h"
#include "controller/decide/session_end.h"
#include "controller/decide/unknown_agent.h"
#include "events/base/text.h"
#include "events/codec/words/enum_words.h"
#include "projections/live_sessions.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::Noun;
using projections::SessionRow;
using projections::State;
using projections::Verb;

constexpr std::size_t kNamed = 5;  // of those that still use it

// "group g is in use by session a, session b and 3 more".
Refusal in_use(v1::DefinitionKind kind, const std::string& name, const std::set<std::string>& by,
               std::string hint) {
  return {"in-use", word(kind) + " " + name + " is in use by " + listed({by.begin(), by.end()}, kNamed),
          std::move(hint)};
}

// Nobody could reach or remove what lies in them any more.
std::optional<Refusal> check_folders(const State& state, const std::string& owner, const v1::Owner& of) {
  const auto& folders = state.folders_of(of);
  if (folders.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const FolderId& id : folders) names.push_back(state.folders.find(id)->name);
  std::ranges::sort(names);
  return Refusal{"in-use",
                 owner + " has " + std::to_string(names.size()) +
                     (names.size() == 1 ? " folder: " : " folders: ") + listed(names, kNamed),
                 "throw them into the trash and purge them first: berth folder ls --all"};
}

constexpr std::size_t kEndedAtOnce = 200;  // sessions that a removal ends in one decision

std::optional<Refusal> check_sessions(v1::DefinitionKind kind, const std::string& name,
                                      const std::vector<const SessionRow*>& live) {
  if (live.empty()) return std::nullopt;
  std::set<std::string> by;
  for (const SessionRow* row : live) by.insert("session " + clipped(row->name));
  return in_use(kind, name, by, "end them first");
}

std::optional<Refusal> check_agent(const State& state, const AgentRow& agent) {
  if (agent.state == AgentState::kAlive)
    return Refusal{"in-use", "agent " + agent.name + " is alive", "stop it first"};
  const auto& kernels = state.kernels_on(agent.name);
  if (kernels.empty()) return std::nullopt;
  std::set<std::string> by;
  for (const KernelId& id : kernels)
    by.insert("session " + clipped(state.sessions.find(state.kernels.find(id)->session)->name));
  return in_use(v1::DEFINITION_KIND_AGENT, agent.name, by, "berth agent fence says that they are gone");
}

std::optional<Refusal> check_group(const State& state, const std::string& name) {
  if (state.groups.find(name) == nullptr) return unknown("group", name);
  std::set<std::string> agents;
  state.agents.for_each_unordered([&](const AgentRow& row) {
    if (row.group == name) agents.insert("agent " + clipped(row.name));
  });
  if (agents.empty()) return std::nullopt;
  return in_use(v1::DEFINITION_KIND_GROUP, name, agents, "remove them, or let them join another group");
}

std::optional<Refusal> check_domain(const DecisionContext& c, const std::string& name) {
  v1::Owner subject;
  subject.set_domain(name);
  if (c.state.domains.find(name) == nullptr || !allowed(c, Noun::kDomain, Verb::kSee, subject))
    return unknown("domain", name);
  if (!allowed(c, Noun::kDomain, Verb::kEnd, subject)) return denied("you may not remove domains");
  std::set<std::string> by;
  c.state.users.for_each_unordered([&](const projections::UserRow& row) {
    if (row.def.domain() == name) by.insert("user " + row.def.name());
  });
  c.state.projects.for_each_unordered([&](const projections::ProjectRow& row) {
    if (row.def.domain() == name) by.insert("project " + row.def.name());
  });
  if (by.empty()) return std::nullopt;
  return in_use(v1::DEFINITION_KIND_DOMAIN, name, by, "remove them first");
}

std::optional<Refusal> check_project(const DecisionContext& c, const std::string& name) {
  const auto* project = c.state.projects.find(name);
  if (project == nullptr) return unknown("project", name);
  v1::Owner subject;
  subject.set_domain(project->def.domain());
  subject.set_project(project->def.name());
  if (!allowed(c, Noun::kProject, Verb::kSee, subject)) return unknown("project", name);
  if (!allowed(c, Noun::kProject, Verb::kEnd, subject)) return denied("you may not remove projects");
  std::set<std::string> by;
  c.state.users.for_each_unordered([&](const projections::UserRow& row) {
    const auto& of = row.def.projects();
    if (row.def.domain() == project->def.domain() &&
        std::find(of.begin(), of.end(), project->def.name()) != of.end())
      by.insert("user " + row.def.name());
  });
  if (!by.empty())
    return in_use(v1::DEFINITION_KIND_PROJECT, name, by, "berth project member rm takes them out of it");
  return check_folders(c.state, "project " + name, subject);
}

v1::Owner owner_of_user(const std::string& name) {
  v1::Owner owner;
  owner.set_user(name);
  return owner;
}

// With `end_sessions` the removal ends what the user's sessions had, their automatic folder too.
std::optional<Refusal> check_user_removal(const DecisionContext& c, const std::string& name,
                                          bool end_sessions) {
  if (auto refusal = check_user(c, Noun::kUser, Verb::kEnd, name)) return refusal;
  if (auto refusal = check_superadmin_stays(c, {}, name)) return refusal;
  const v1::Owner owner = owner_of_user(name);
  const bool has_automatic_alone = find_automatic_alone(c.state, owner) != nullptr;
  if (has_automatic_alone && end_sessions) return std::nullopt;
  auto refusal = check_folders(c.state, "user " + name, owner);
  if (refusal && has_automatic_alone) refusal->hint = "with --end-sessions (end_sessions=true) it goes too";
  return refusal;
}

std::optional<Refusal> check_key(const DecisionContext& c, const std::string& id) {
  const auto* key = c.state.key_pairs.find(id);
  if (key == nullptr) return unknown_key_pair(id);
  auto refusal = check_user(c, Noun::kKey, Verb::kEnd, key->def.user());
  if (refusal && refusal->code == "unknown-user") return unknown_key_pair(id);
  return refusal;
}

// Whatever keeps it but sessions, or whoever asks from it.
std::optional<Refusal> check(const DecisionContext& c, const v1::Remove& body) {
  const std::string& name = body.name();
  const auto known = [&](const auto& table, const Refusal& missing) {
    return table.find(name) == nullptr ? std::optional(missing) : std::nullopt;
  };
  switch (body.kind()) {
    case v1::DEFINITION_KIND_GROUP: return check_group(c.state, name);
    case v1::DEFINITION_KIND_DOMAIN: return check_domain(c, name);
    case v1::DEFINITION_KIND_PROJECT: return check_project(c, name);
    case v1::DEFINITION_KIND_USER: return check_user_removal(c, name, body.end_sessions());
    case v1::DEFINITION_KIND_KEY: return check_key(c, name);
    case v1::DEFINITION_KIND_PRODUCER: return known(c.state.producers, unknown_producer(name));
    case v1::DEFINITION_KIND_IMAGE: return known(c.state.images, unknown("image", name));
    case v1::DEFINITION_KIND_PRESET: return known(c.state.presets, unknown("preset", name));
    default:
      return Refusal{"unknown-kind", "nothing of kind '" + word(body.kind()) + "' can be removed",
                     "group, image, preset, agent, domain, project, user, key or producer"};
  }
}

std::vector<const SessionRow*> sessions_of(const State& state, v1::DefinitionKind kind,
                                           const std::string& name) {
  switch (kind) {
    case v1::DEFINITION_KIND_GROUP: return projections::live_sessions_in_group(state, name);
    case v1::DEFINITION_KIND_IMAGE: return projections::live_sessions_of_image(state, name);
    case v1::DEFINITION_KIND_DOMAIN:
    case v1::DEFINITION_KIND_PROJECT:
    case v1::DEFINITION_KIND_USER: return projections::live_sessions_of_owner(state, kind, name);
    default: return {};
  }
}

void add_removal(const DecisionContext& c, v1::DefinitionKind kind, const std::string& name,
                 EventList& events) {
  auto* removed = events.add(c.stamp).mutable_definition_removed();
  removed->set_kind(kind);
  removed->set_name(name);
}

Code reason_of_removal(v1::DefinitionKind kind) {
  switch (kind) {
    case v1::DEFINITION_KIND_GROUP: return "group-removed";
    case v1::DEFINITION_KIND_DOMAIN: return "domain-removed";
    case v1::DEFINITION_KIND_PROJECT: return "project-removed";
    case v1::DEFINITION_KIND_USER: return "user-removed";
    default: return "key-removed";
  }
}

// Begins to end them, and removes at once where all of them only waited and there is no `folder` to purge.
// Else the removal is refused meanwhile, and says how many are left to end.
Decision end_first(const DecisionContext& c, v1::DefinitionKind kind, const std::string& name,
                   const std::vector<const SessionRow*>& live, const projections::FolderRow* folder) {
  DecisionContext own = c;  // of the actor, and no answer to the request
  own.stamp.request_id.clear();
  own.stamp.reason.clear();
  EventList events;
  std::size_t asked = 0, gone = 0;
  for (const SessionRow* session : live) {
    if (session->terminating || asked == kEndedAtOnce) continue;
    ++asked;
    if (projections::is_waiting(session->status)) ++gone;
    end_session(own, *session, reason_of_removal(kind), false, events);
  }
  if (gone == live.size() && folder == nullptr) {
    add_removal(c, kind, name, events);
    return events;
  }
  return Deferred{
      Refusal{"sessions-ending",
              std::to_string(live.size() - gone) + " sessions of " + word(kind) + " " + name + " are ending",
              "ask again when they have ended"},
      std::move(events)};
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Remove& body) {
  const v1::DefinitionKind kind = body.kind();
  const std::string& name = body.name();
  EventList events;
  if (kind == v1::DEFINITION_KIND_AGENT) {
    const AgentRow* agent = c.state.agents.find(name);
    if (agent == nullptr) return unknown_agent(name);
    if (auto refusal = check_agent(c.state, *agent)) return *refusal;
    events.add(c.stamp).mutable_agent_removed()->set_agent(name);
    return events;
  }
  if (auto refusal = check(c, body)) return *refusal;
  const auto live = sessions_of(c.state, kind, name);
  const auto* folder =
      kind == v1::DEFINITION_KIND_USER ? find_automatic_alone(c.state, owner_of_user(name)) : nullptr;
  if (body.end_sessions() && kind != v1::DEFINITION_KIND_IMAGE && !live.empty())
    return end_first(c, kind, name, live, folder);
  if (auto refusal = check_sessions(kind, name, live)) return *refusal;
  if (folder != nullptr) return purge_before_removal(c, *folder);
  add_removal(c, kind, name, events);
  return events;
}

}  // namespace berth::controller
