// "mounts" of a request for sessions: JSON -> SessionSpec.mounts. Pure.
#pragma once

#include <functional>
#include <string>

#include "controller/api/map/json_reader.h"
#include "events/base/uuid.h"
#include "events/schema/v1/common.pb.h"

namespace berth::controller::api {

struct MountFolder {
  FolderId id;
  std::string name;
};

// The folder of a name or id that the asker may see. Codes: those of find_folder_to_mount()
// (folder_lookup.h).
using FindMountFolder = std::function<Result<MountFolder>(const std::string& id_or_name)>;

// [{"folder": name or id, "target": the folder's name unless given, "read_only": false}]. `find` may be
// empty: then there are no folders. What is wrong is noted at its place: unknown-folder, ambiguous-name,
// invalid-mount (a target that no folder can have, or that another mount has).
void read_mounts(ObjectReader& in, const FindMountFolder& find, v1::SessionSpec& spec);

}  // namespace berth::controller::api
