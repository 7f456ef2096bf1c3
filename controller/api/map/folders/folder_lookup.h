// {folder} and {volume} in a path, query or body: by id, 32 hex digits, or by name. Pure; callers hold the
// state's lock.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controller/api/map/session_lookup.h"
#include "projections/folder_access.h"

namespace berth::controller::api {

// 32 lower-case hex digits, as folders and volumes are named on disk.
std::string hex_of(const Uuid& id);
// nullopt for anything else; capital digits are taken too.
std::optional<Uuid> id_of_hex(std::string_view text);

// By id, whatever projections::may_see_folder() says yes to; else the caller's own folder of that name; else
// the one of others that the caller has access to; else the caller's only one in the trash. A folder that the
// caller may not see is unknown-folder, as one that does not exist. Codes: unknown-folder, ambiguous-name
// (the hint has the ids).
Result<const projections::FolderRow*> find_folder(const projections::State& state, const Caller& caller,
                                                  const std::string& id_or_name);
// The same for a mount: none in the trash is found by its name.
Result<const projections::FolderRow*> find_folder_to_mount(const projections::State& state,
                                                           const Caller& caller,
                                                           const std::string& id_or_name);

// Codes: unknown-volume, ambiguous-name.
Result<const projections::VolumeRow*> find_volume(const projections::State& state,
                                                  const std::string& id_or_name);

}  // namespace berth::controller::api
