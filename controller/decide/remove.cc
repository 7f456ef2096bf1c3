// Removing a definition or an agent: only what nothing live uses, and its name is never given again.
#include <set>

#include "controller/decide/decide.h"
#include "controller/decide/unknown_agent.h"
#include "events/base/text.h"
#include "projections/tables/live_sessions.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::SessionRow;
using projections::State;

constexpr std::size_t kNamed = 5;  // of those that still use it

// "group g is in use by session a, session b and 3 more".
Refusal in_use(const std::string& kind, const std::string& name, const std::set<std::string>& by,
               std::string hint) {
  return {"in-use", kind + " " + name + " is in use by " + listed({by.begin(), by.end()}, kNamed),
          std::move(hint)};
}

std::optional<Refusal> check_sessions(const std::string& kind, const std::string& name,
                                      const std::vector<const SessionRow*>& live) {
  if (live.empty()) return std::nullopt;
  std::set<std::string> by;
  for (const SessionRow* row : live) by.insert("session " + clipped(row->name));
  return in_use(kind, name, by, "end them first");
}

std::optional<Refusal> check_group(const State& state, const std::string& name) {
  std::set<std::string> agents;
  state.agents.for_each_unordered([&](const AgentRow& row) {
    if (row.group == name) agents.insert("agent " + clipped(row.name));
  });
  if (!agents.empty()) return in_use("group", name, agents, "remove them, or let them join another group");
  return check_sessions("group", name, projections::live_sessions_in_group(state, name));
}

std::optional<Refusal> check_agent(const State& state, const AgentRow& agent) {
  if (agent.state == AgentState::kAlive)
    return Refusal{"in-use", "agent " + agent.name + " is alive", "stop it first"};
  const auto& kernels = state.kernels_on(agent.name);
  if (kernels.empty()) return std::nullopt;
  std::set<std::string> by;
  for (const KernelId& id : kernels)
    by.insert("session " + clipped(state.sessions.find(state.kernels.find(id)->session)->name));
  return in_use("agent", agent.name, by, "berth agent fence says that they are gone");
}

Refusal unknown(const std::string& kind, const std::string& name) {
  return {"unknown-" + kind, "no " + kind + " is named '" + clipped(name) + "'", "berth " + kind + " ls"};
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Remove& body) {
  const State& state = c.state;
  const std::string& kind = body.kind();
  const std::string& name = body.name();
  EventList events;
  if (kind == "agent") {
    const AgentRow* agent = state.agents.find(name);
    if (agent == nullptr) return unknown_agent(name);
    if (auto refusal = check_agent(state, *agent)) return *refusal;
    events.add(c.stamp).mutable_agent_removed()->set_agent(name);
    return events;
  }
  std::optional<Refusal> refusal;
  if (kind == "group") {
    if (state.groups.find(name) == nullptr) return unknown(kind, name);
    refusal = check_group(state, name);
  } else if (kind == "image") {
    if (state.images.find(name) == nullptr) return unknown(kind, name);
    refusal = check_sessions(kind, name, projections::live_sessions_of_image(state, name));
  } else if (kind == "preset") {
    if (state.presets.find(name) == nullptr) return unknown(kind, name);
  } else {
    return Refusal{"unknown-kind", "nothing of kind '" + clipped(kind) + "' can be removed",
                   "group, image, preset or agent"};
  }
  if (refusal) return *refusal;
  auto* removed = events.add(c.stamp).mutable_definition_removed();
  removed->set_kind(kind);
  removed->set_name(name);
  return events;
}

}  // namespace berth::controller
