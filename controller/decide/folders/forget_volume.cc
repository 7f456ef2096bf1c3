// A volume that is gone for good is forgotten, and with it the folders that lay on it.
#include <set>
#include <string>
#include <vector>

#include "controller/decide/decide.h"
#include "controller/decide/folders/volume_agent.h"
#include "events/base/text.h"
#include "projections/automatic_folder.h"

namespace berth::controller {
namespace {

using projections::FolderRow;
using projections::State;
using projections::VolumeRow;

std::vector<const FolderRow*> folders_on(const State& state, const VolumeId& volume) {
  std::vector<const FolderRow*> found;
  state.folders.for_each_unordered([&](const FolderRow& folder) {
    if (folder.volume == volume) found.push_back(&folder);
  });
  return found;
}

// Sessions that run, or wait to run, with one of the folders.
std::set<SessionId> sessions_with(const State& state, const std::vector<const FolderRow*>& folders) {
  std::set<SessionId> sessions;
  for (const FolderRow* folder : folders) {
    const auto& by = state.mounted_by(folder->id);
    sessions.insert(by.begin(), by.end());
    sessions.merge(projections::automatic_mounts_of(state, *folder));
  }
  return sessions;
}

// Their owners have to end them: the refusal says whom to ask.
std::string named(const State& state, const std::set<SessionId>& sessions) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  for (const SessionId& id : sessions) {
    const projections::SessionRow* session = state.sessions.find(id);
    if (session != nullptr) names.push_back(session->name + " of " + session->owner->owner.user());
  }
  return listed(names, kNamed);
}

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Nobody loses folders that nobody has counted.
std::optional<Refusal> check_count(const VolumeRow& volume, std::size_t count, std::size_t expected) {
  if (count == expected) return std::nullopt;
  const std::string there = "volume " + volume.name + " has " + counted(count, "folder");
  if (expected != 0)
    return Refusal{"count-changed", there + " now, not " + std::to_string(expected),
                   "look again, and send the count that you mean"};
  return Refusal{"in-use", there + ", which would be lost with it",
                 "send their count as expected: berth volume forget --expected " + std::to_string(count)};
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::ForgetVolume& body) {
  const auto id = Uuid::from_bytes(body.volume());
  const VolumeRow* volume = id ? c.state.volumes.find(VolumeId(*id)) : nullptr;
  if (volume == nullptr) return unknown_volume();
  if (is_available(c.state, volume->id))
    return Refusal{"in-use", "an agent that is alive has volume " + volume->name,
                   "stop the agent, or let it join without the volume"};
  const auto folders = folders_on(c.state, volume->id);
  if (const auto sessions = sessions_with(c.state, folders); !sessions.empty())
    return Refusal{"folder-mounted",
                   counted(sessions.size(), "live session") + " with folders of volume " + volume->name +
                       ": " + named(c.state, sessions),
                   "end the sessions first: berth session ls --user USER has them"};
  if (auto refusal = check_count(*volume, folders.size(), body.expected())) return *refusal;
  EventList events;
  auto* forgotten = events.add(c.stamp).mutable_volume_forgotten();
  forgotten->set_volume(body.volume());
  forgotten->set_folders(static_cast<std::uint32_t>(folders.size()));
  return events;
}

}  // namespace berth::controller
