// Folders, volumes and files of folders as text for people. Pure.
#pragma once

#include "ops/cli/output/table.h"

namespace berth::cli {

Listing folder_listing();
Listing volume_listing();
// Of the items of GET /v1/folders/{folder}/files.
Listing file_listing();

// "alice", "project default/ml".
std::string owner_text(const boost::json::value& folder);
// "bob (read), project default/ml (write)" of a folder; of a session without the access.
std::string shares_text(const boost::json::value& item);
// "data at /home/work/data, read-only" of one of a session's mounts.
// Of a session: whether its owner's automatic folder is in it; empty: that is not known.
std::string automatic_text(const boost::json::value& session);
std::string mount_text(const boost::json::value& mount);

}  // namespace berth::cli
