#include "controller/api/map/folders/folder_lookup.h"

#include <algorithm>
#include <vector>

#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/base/text.h"

namespace berth::controller::api {
namespace {

using projections::Actor;
using projections::FolderAccess;
using projections::FolderRow;
using projections::FolderState;
using projections::Noun;
using projections::State;
using projections::Verb;

constexpr std::size_t kIdsNamed = 5;

Error unknown_folder(const std::string& id_or_name) {
  return make_error("unknown-folder", "there is no folder '" + clipped(id_or_name) + "'",
                    "berth folder ls lists them");
}

// The only one of them; an error where there are several, nullptr where there is none.
template <class Row>
Result<const Row*> only_one(std::vector<const Row*> found, const char* what, const std::string& name) {
  if (found.size() < 2) return found.empty() ? nullptr : found.front();
  std::vector<std::string> ids;
  for (const Row* row : found) ids.push_back(hex_of(row->id));
  std::ranges::sort(ids);
  return make_error("ambiguous-name", std::string("several ") + what + " are named '" + clipped(name) + "'",
                    "name one by its id: " + listed(ids, kIdsNamed));
}

Result<const FolderRow*> find_by_name(const State& state, const Caller& caller, const std::string& name,
                                      bool with_trash) {
  v1::Owner me;
  me.set_domain(caller.domain);
  me.set_user(caller.user);
  if (const FolderRow* mine = state.find_folder(me, name)) return mine;
  const Actor actor = actor_of(state, caller);
  std::vector<const FolderRow*> others, trashed;
  state.folders.for_each_unordered([&](const FolderRow& row) {
    if (row.name != name) return;
    const FolderAccess access = access_of(actor, row);
    if (row.has_name() && access != FolderAccess::kNone) others.push_back(&row);
    if (row.state == FolderState::kTrashed && access == FolderAccess::kOwn) trashed.push_back(&row);
  });
  auto found = only_one(std::move(others), "folders", name);
  if (!found.ok() || *found != nullptr || !with_trash) return found;
  return only_one(std::move(trashed), "folders in the trash", name);
}

Result<const FolderRow*> find(const State& state, const Caller& caller, const std::string& id_or_name,
                              bool with_trash) {
  if (const auto id = id_of_hex(id_or_name)) {
    const FolderRow* row = state.folders.find(FolderId(*id));
    if (row != nullptr && may_see_folder(actor_of(state, caller), *row)) return row;
  }
  const auto found = find_by_name(state, caller, id_or_name, with_trash);
  if (found.ok() && *found == nullptr) return unknown_folder(id_or_name);
  return found;
}

}  // namespace

std::string hex_of(const Uuid& id) { return to_hex(id.view()); }

std::optional<Uuid> id_of_hex(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  const auto bytes = from_hex(lower);
  const auto id = bytes ? Uuid::from_bytes(*bytes) : std::nullopt;
  return id && !id->is_nil() ? id : std::nullopt;
}

Result<const FolderRow*> find_folder(const State& state, const Caller& caller,
                                     const std::string& id_or_name) {
  return find(state, caller, id_or_name, true);
}

Result<const FolderRow*> find_folder_to_mount(const State& state, const Caller& caller,
                                              const std::string& id_or_name) {
  return find(state, caller, id_or_name, false);
}

Result<const projections::VolumeRow*> find_volume(const State& state, const std::string& id_or_name) {
  if (const auto id = id_of_hex(id_or_name))
    if (const auto* row = state.volumes.find(VolumeId(*id))) return row;
  std::vector<const projections::VolumeRow*> named;
  state.volumes.for_each_unordered([&](const projections::VolumeRow& row) {
    if (row.name == id_or_name) named.push_back(&row);
  });
  const auto found = only_one(std::move(named), "volumes", id_or_name);
  if (found.ok() && *found == nullptr)
    return make_error("unknown-volume", "there is no volume '" + clipped(id_or_name) + "'",
                      "berth folder volumes lists them");
  return found;
}

}  // namespace berth::controller::api
