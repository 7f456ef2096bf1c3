// The folder that a route's path names, as the caller may see it.
#pragma once

#include "controller/api/routes/call.h"
#include "projections/folder_access.h"

namespace berth::controller::api {

struct FoundFolder {
  projections::FolderRow row;
  projections::FolderAccess access = projections::FolderAccess::kNone;  // of the caller
};

// Of the path's first hole. Codes: those of find_folder() (folder_lookup.h).
Result<FoundFolder> folder_in_path(const Services& services, const Call& call);

}  // namespace berth::controller::api
