#include "controller/api/map/folders/folder_json.h"

#include <algorithm>

#include "controller/api/map/folders/folder_lookup.h"
#include "controller/api/map/time_text.h"
#include "events/codec/words/enum_words.h"
#include "projections/folder_access.h"
#include "projections/session_access.h"
#include "projections/subjects.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Actor;
using projections::FolderRow;
using projections::FolderState;
using projections::State;

constexpr std::size_t kSessionsShown = 20;

json::object owner_to_json(const FolderRow& folder) {
  json::object owner{{"domain", folder.domain}};
  owner[folder.user.empty() ? "project" : "user"] = folder.user.empty() ? folder.project : folder.user;
  return owner;
}

json::object head_of(const State& state, const VolumeId& id) {
  const auto* row = state.volumes.find(id);
  return {{"id", hex_of(id)}, {"name", row == nullptr ? json::value(nullptr) : json::value(row->name)}};
}

json::array shares_to_json(const FolderRow& folder) {
  json::array shares;
  for (const auto& share : folder.shares)
    shares.push_back({{word(share.scope), share.id}, {"access", name_of(share.access)}});
  return shares;
}

// What a folder's owner is told of sessions of others is that they are there.
void put_sessions(json::object& out, const State& state, const FolderRow& folder, const Actor& actor) {
  json::array sessions;
  std::int64_t more = 0;
  for (const SessionId& id : state.mounted_by(folder.id)) {
    const auto* session = state.sessions.find(id);
    if (session == nullptr) continue;
    if (sessions.size() < kSessionsShown && may_see_session(state, actor, *session))
      sessions.push_back({{"id", to_string(id)}, {"name", session->name}});
    else
      ++more;
  }
  out["sessions"] = std::move(sessions);
  if (more > 0 && may_manage_folder(actor, folder, projections::Verb::kChange)) out["more_sessions"] = more;
}

bool is_of_project(const FolderRow& folder, const std::string& project) {
  return folder.user.empty() &&
         (folder.project == project || folder.domain + "/" + folder.project == project);
}

bool is_on_volume(const State& state, const FolderRow& folder, const std::string& volume) {
  const auto id = id_of_hex(volume);
  if (id && folder.volume == VolumeId(*id)) return true;
  const auto* row = state.volumes.find(folder.volume);
  return row != nullptr && row->name == volume;
}

}  // namespace

json::object folder_to_json(const State& state, const FolderRow& folder, const Actor& actor) {
  json::object out{{"id", hex_of(folder.id)},
                   {"name", folder.name},
                   {"owner", owner_to_json(folder)},
                   {"automatic", folder.is_automatic()},
                   {"volume", head_of(state, folder.volume)},
                   {"state", name_of(folder.state)},
                   {"created_at", format_time(folder.created_at)},
                   {"access", name_of(access_of(actor, folder))}};
  if (folder.purge_at != 0) out["purge_at"] = format_time(folder.purge_at);
  if (!folder.code.empty()) out["code"] = folder.code.word();
  if (!folder.message.empty()) out["message"] = folder.message;
  if (may_manage_folder(actor, folder, projections::Verb::kChange)) out["shares"] = shares_to_json(folder);
  put_sessions(out, state, folder, actor);
  return out;
}

json::object volume_to_json(const State& state, const projections::VolumeRow& volume, const Actor& actor) {
  json::array agents;
  bool available = false;
  for (const std::string& name : state.agents.sorted_keys()) {
    const auto& agent = *state.agents.find(name);
    if (!agent.has(volume.id)) continue;
    available = available || agent.state == projections::AgentState::kAlive;
    if (sees_agent(state, actor, agent)) agents.emplace_back(name);
  }
  return {{"id", hex_of(volume.id)},
          {"name", volume.name},
          {"agents", std::move(agents)},
          {"available", available}};
}

bool FolderFilter::matches(const State& state, const FolderRow& folder, const Actor& actor) const {
  if (std::ranges::find(states, folder.state) == states.end()) return false;
  if (!name.empty() && folder.name != name) return false;
  if (mine && folder.user != actor.user) return false;
  if (!project.empty() && !is_of_project(folder, project)) return false;
  return volume.empty() || is_on_volume(state, folder, volume);
}

FolderFilter read_folder_filter(Query& query) {
  FolderFilter filter;
  const std::vector<std::string> wanted = query.list("state");
  for (const std::string& word : wanted) {
    bool known = false;
    for (int i = 0; i <= static_cast<int>(FolderState::kPurging); ++i) {
      const auto state = static_cast<FolderState>(i);
      if (word != name_of(state)) continue;
      known = true;
      filter.states.push_back(state);
    }
    if (!known)
      query.fail("invalid-parameter", "state", "'" + clipped(word) + "' is no state of a folder",
                 "CREATING, READY, FAILED, TRASHED or PURGING");
  }
  filter.volume = query.name("volume");
  filter.name = query.name("name");
  filter.project = query.project("project");
  filter.mine = query.flag("mine", false);
  const std::string include = query.text("include").value_or("");
  if (!include.empty() && include != "trash")
    query.fail("invalid-parameter", "include", "'" + clipped(include) + "' is nothing to include", "trash");
  if (wanted.empty()) filter.states = {FolderState::kCreating, FolderState::kReady, FolderState::kFailed};
  if (include == "trash")
    filter.states.insert(filter.states.end(), {FolderState::kTrashed, FolderState::kPurging});
  return filter;
}

std::string place_of(const FolderRow& folder) { return folder.name + "/" + hex_of(folder.id); }

std::vector<const FolderRow*> select_folders(const State& state, const FolderFilter& filter,
                                             const Actor& actor) {
  std::vector<const FolderRow*> found;
  state.folders.for_each_unordered([&](const FolderRow& row) {
    if (filter.matches(state, row, actor) && may_see_folder(actor, row)) found.push_back(&row);
  });
  std::ranges::sort(found, {}, [](const FolderRow* row) { return place_of(*row); });
  return found;
}

}  // namespace berth::controller::api
