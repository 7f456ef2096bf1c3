// Known folders: what lay in a folder when it was opened last, remembered outside of it. A disk or a share
// that was not mounted at boot leaves an empty folder in its place: what was written there then would go to
// another disk, as something new (ADR 0102).
#pragma once

#include <string>
#include <system_error>

#include "events/base/result.h"

namespace berth {

struct KnownFolder {
  std::string record;  // path of the file that remembers; another record for each folder
  std::string path;    // of the folder
  std::string what;    // for people: "cluster", "volume"
};

// `id`: of what the folder holds now; empty: of nothing. One that is not known is fine, and so is another
// path than the remembered one. Codes: known-folder-empty, known-folder-other.
Result<void> check_known_folder(const KnownFolder& folder, const std::string& id);

// Makes the record's own folder if it is missing (0700). REQUIRES: the id has no blanks.
std::error_code remember_folder(const KnownFolder& folder, const std::string& id);

// Whether the folder, or the nearest one above that is there, lies on another file system than `/`, and on
// one that is still there after a restart.
bool is_on_its_own_disk(const std::string& path);

// Whether a data folder is to be remembered: one of a service always, for nobody removes it to begin anew as
// who starts a program by hand does; and one on a disk of its own, which may not be mounted the next time.
bool is_worth_remembering(const std::string& path, bool is_service);

// Where the data folder of a cluster, or of an agent, is remembered: beside the data folders of this machine
// for root, else in $XDG_STATE_HOME, or among the user's own files; "" where neither of these folders is
// known.
std::string record_of_cluster(const std::string& path);
std::string record_of_agent(const std::string& path);

}  // namespace berth
