// A folder is made by the agent of its volume; until that reports, the folder is CREATING.
#include <algorithm>

#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "controller/decide/folders/folder_checks.h"
#include "controller/decide/folders/volume_agent.h"
#include "controller/decide/identity/identity_checks.h"
#include "events/base/text.h"

namespace berth::controller {
namespace {

using projections::Noun;
using projections::Verb;
using projections::VolumeRow;

constexpr std::size_t kVolumesNamed = 5;  // volumes in a hint

std::optional<Refusal> check_id(const DecisionContext& c, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  if (!id || id->is_nil())
    return Refusal{"invalid-value", "a folder's id is 16 bytes, and not all of them 0", ""};
  if (c.state.folders.find(FolderId(*id)) == nullptr) return std::nullopt;
  return Refusal{"id-in-use", "folder id " + to_string(*id) + " is in use", ""};
}

v1::Owner owner_of(const projections::Actor& actor, const std::string& project) {
  v1::Owner owner;
  owner.set_domain(actor.domain);
  if (project.empty())
    owner.set_user(actor.user);
  else
    owner.set_project(project);
  return owner;
}

std::optional<Refusal> check_new_owner(const DecisionContext& c, const v1::Owner& owner) {
  if (!owner.project().empty()) {
    const std::string project = owner.domain() + "/" + owner.project();
    if (c.state.projects.find(project) == nullptr || !allowed(c, Noun::kProject, Verb::kSee, owner))
      return unknown("project", project);
  }
  if (projections::may_create_folder(*c.actor, owner)) return std::nullopt;
  return denied(owner.project().empty() ? "you may not have folders"
                                        : "you do not administer project " + owner.project());
}

Refusal unavailable(const std::string& name) {
  return {"volume-unavailable",
          "no agent that is alive has " + (name.empty() ? "a volume" : "volume " + name), "berth agent ls"};
}

Refusal several(const std::vector<const VolumeRow*>& volumes) {
  std::vector<std::string> names;
  for (const VolumeRow* volume : volumes) names.push_back(volume->name);
  std::ranges::sort(names);
  return {"volume-required", "there are several volumes, and none is named", listed(names, kVolumesNamed)};
}

// The volume of that id, or the only one that an ALIVE agent has.
std::optional<Refusal> choose_volume(const DecisionContext& c, const std::string& bytes,
                                     const VolumeRow*& volume) {
  if (bytes.empty()) {
    const auto all = available_volumes(c.state);
    if (all.size() > 1) return several(all);
    if (all.empty()) return unavailable({});
    volume = all.front();
    return std::nullopt;
  }
  const auto id = Uuid::from_bytes(bytes);
  volume = id ? c.state.volumes.find(VolumeId(*id)) : nullptr;
  if (volume == nullptr) return unknown_volume();
  if (!is_available(c.state, volume->id)) return unavailable(volume->name);
  return std::nullopt;
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::CreateFolder& body) {
  if (!c.actor) return denied("a folder is made for a user");
  const v1::Owner owner = owner_of(*c.actor, body.project());
  if (auto refusal = check_id(c, body.id())) return *refusal;
  if (auto refusal = check_new_owner(c, owner)) return *refusal;
  if (auto refusal = check_folder_name(body.name())) return *refusal;
  if (auto refusal = check_name_free(c, owner, body.name(), {})) return *refusal;
  if (auto refusal = check_folder_count(c.state, owner)) return *refusal;
  const VolumeRow* volume = nullptr;
  if (auto refusal = choose_volume(c, body.volume(), volume)) return *refusal;
  if (auto refusal = check_volume_has_room(c.state, volume->id)) return *refusal;
  EventList events;
  name_volume_agent(c, volume->id, events);
  auto* created = events.add(c.stamp).mutable_folder_created();
  created->set_folder(body.id());
  created->set_name(body.name());
  *created->mutable_owner() = owner;
  created->set_volume(std::string(volume->id.view()));
  return events;
}

}  // namespace berth::controller
