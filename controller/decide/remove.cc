// Removing a definition or an agent: only what nothing live uses, and its name is never given again.
#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/unknown_agent.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::SessionRow;
using projections::State;

constexpr std::size_t kNamed = 5;  // of those that still use it

// "session a, session b and 3 more"
std::string listed(const char* noun, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamed; ++i)
    text += (i == 0 ? "" : ", ") + std::string(noun) + " " + clipped(names[i]);
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

Refusal in_use(const std::string& kind, const std::string& name, const std::string& by, std::string hint) {
  return {"in-use", kind + " " + name + " is in use by " + by, std::move(hint)};
}

template <class Uses> std::vector<std::string> live_sessions(const State& state, Uses uses) {
  std::vector<std::string> names;
  state.sessions.for_each_unordered([&](const SessionRow& row) {
    if (!projections::is_end(row.status) && uses(row.spec->spec)) names.push_back(row.name);
  });
  return names;
}

bool uses_image(const v1::SessionSpec& spec, const std::string& image) {
  return spec.image() == image || std::any_of(spec.roles().begin(), spec.roles().end(),
                                              [&](const auto& role) { return role.image() == image; });
}

std::optional<Refusal> check_group(const State& state, const std::string& name) {
  std::vector<std::string> agents;
  state.agents.for_each_unordered([&](const AgentRow& row) {
    if (row.group == name) agents.push_back(row.name);
  });
  if (!agents.empty())
    return in_use("group", name, listed("agent", std::move(agents)),
                  "remove them, or let them join another group");
  auto sessions = live_sessions(state, [&](const auto& spec) { return spec.group() == name; });
  if (sessions.empty()) return std::nullopt;
  return in_use("group", name, listed("session", std::move(sessions)), "end them first");
}

std::optional<Refusal> check_image(const State& state, const std::string& name) {
  auto sessions = live_sessions(state, [&](const auto& spec) { return uses_image(spec, name); });
  if (sessions.empty()) return std::nullopt;
  return in_use("image", name, listed("session", std::move(sessions)), "end them first");
}

std::optional<Refusal> check_agent(const State& state, const AgentRow& agent) {
  if (agent.state == AgentState::kAlive)
    return Refusal{"in-use", "agent " + agent.name + " is alive", "stop it first"};
  const auto& kernels = state.kernels_on(agent.name);
  if (kernels.empty()) return std::nullopt;
  std::vector<std::string> sessions;
  for (const KernelId& id : kernels)
    sessions.push_back(state.sessions.find(state.kernels.find(id)->session)->name);
  return in_use("agent", agent.name, listed("session", std::move(sessions)),
                "berth agent fence says that they are gone");
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
    refusal = check_image(state, name);
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
