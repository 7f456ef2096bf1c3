// The folder of the small files of live kernels: in memory, if the machine has a safe place there.
#pragma once

#include <string>
#include <vector>

#include "events/base/result.h"

namespace berth::agents {

// For root: a folder for this `data_folder` below /run, or below /dev/shm if /run is on disk. Else
// `data_folder` itself: a user's folders in memory are emptied at logout, even while kernels run. A folder to
// which other users have access is refused. Code: data-folder.
// The folder names its data folder.
Result<std::string> fast_folder_for(const std::string& data_folder);

// Those that are there of a data folder with this path, for root. Makes nothing.
std::vector<std::string> fast_folders_of(const std::string& data_folder);

// Removes fast folders below `place` whose data folder is gone, unless a kernel of theirs has its shim still;
// what other kernels have left running is ended.
void sweep_fast_folders(const std::string& place);

}  // namespace berth::agents
