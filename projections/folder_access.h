// Who may do what with a folder: with its files, and with what it is. Pure.
#pragma once

#include "projections/rights.h"
#include "projections/tables/folder_table.h"

namespace berth::projections {

// Access to its files. A user's own folder: kOwn. A project's: kOwn for its admins, kWrite for its members.
// Else the widest of its shares with the actor and the actor's projects. Nobody's role adds to it: who
// manages folders reads no files.
FolderAccess access_of(const Actor& actor, const FolderRow& folder);

// Whether the actor knows that it exists: by access, or by right.
bool may_see_folder(const Actor& actor, const FolderRow& folder);

// kChange: rename and share it; kEnd: throw it away, restore and purge it. Its owner and the admins of its
// project may, and whose right reaches a domain. A project's members have its files, and not this.
bool may_manage_folder(const Actor& actor, const FolderRow& folder, Verb verb);

// Whether the actor may make a folder for the user or project: their own, or one that they administer.
bool may_create_folder(const Actor& actor, const v1::Owner& owner);

}  // namespace berth::projections
