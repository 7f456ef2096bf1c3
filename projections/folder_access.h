// Access to a folder's files: its owner's, a project's members', and theirs whom it is shared with. Pure.
#pragma once

#include "projections/rights.h"
#include "projections/tables/folder_table.h"

namespace berth::projections {

// A user's own folder: kOwn. A project's: kOwn for its admins, kWrite for its members. Else the widest of its
// shares with the actor and the actor's projects. Nobody's role adds to it: who manages folders reads no
// files.
FolderAccess access_of(const Actor& actor, const FolderRow& folder);

}  // namespace berth::projections
