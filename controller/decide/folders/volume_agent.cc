#include "controller/decide/folders/volume_agent.h"

#include <set>

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::State;
using projections::VolumeRow;

bool serves(const AgentRow& agent, const VolumeId& volume) {
  return agent.state == AgentState::kAlive && agent.has(volume);
}

// The first by name of the ALIVE agents that have the volume, but for `without`; empty: there is none.
std::string choose(const State& state, const VolumeId& volume, const std::string& without) {
  std::string first;
  state.agents.for_each_unordered([&](const AgentRow& agent) {
    if (agent.name != without && serves(agent, volume) && (first.empty() || agent.name < first))
      first = agent.name;
  });
  return first;
}

void name_agent(const DecisionContext& c, const VolumeId& volume, const std::string& without,
                EventList& events) {
  const VolumeRow* row = c.state.volumes.find(volume);
  if (row == nullptr) return;
  const AgentRow* named = c.state.agents.find(row->agent);
  if (named != nullptr && named->name != without && serves(*named, volume)) return;
  const std::string next = choose(c.state, volume, without);
  if (next.empty()) return;
  auto* e = events.add(c.stamp).mutable_volume_agent_named();
  e->set_volume(std::string(volume.view()));
  e->set_agent(next);
}

// In order of their ids.
std::set<VolumeId> volumes_named_for(const State& state, const std::string& agent) {
  std::set<VolumeId> out;
  state.volumes.for_each_unordered([&](const VolumeRow& row) {
    if (row.agent == agent) out.insert(row.id);
  });
  return out;
}

}  // namespace

Refusal unknown_volume() { return {"unknown-volume", "there is no such volume", "berth volume ls"}; }

bool is_available(const State& state, const VolumeId& volume) { return !choose(state, volume, {}).empty(); }

std::vector<const VolumeRow*> available_volumes(const State& state) {
  std::vector<const VolumeRow*> out;
  for (const VolumeId& id : state.volumes.sorted_keys())
    if (is_available(state, id)) out.push_back(state.volumes.find(id));
  return out;
}

void name_volume_agent(const DecisionContext& c, const VolumeId& volume, EventList& events) {
  name_agent(c, volume, {}, events);
}

void name_volume_agents_after_join(const DecisionContext& c, const std::string& agent, EventList& events) {
  std::set<VolumeId> volumes = volumes_named_for(c.state, agent);
  if (const AgentRow* row = c.state.agents.find(agent))
    for (const auto& volume : row->volumes) volumes.insert(volume.id);
  for (const VolumeId& volume : volumes) name_agent(c, volume, {}, events);
}

void name_volume_agents_without(const DecisionContext& c, const std::string& agent, EventList& events) {
  for (const VolumeId& volume : volumes_named_for(c.state, agent)) name_agent(c, volume, agent, events);
}

}  // namespace berth::controller
