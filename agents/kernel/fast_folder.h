// The folder of the small files of live kernels: in memory, if the machine has a safe place there.
//
// Each agent that starts removes the folders that dead agents have left. A folder's lock (flock) keeps it
// from one whose agent lives, and one whose agent is just about to make its data folder: an agent shares the
// lock as long as it lives, however it dies; who removes the folder has the lock alone.
#pragma once

#include <string>
#include <vector>

#include "events/base/files/descriptor.h"
#include "events/base/result.h"

namespace berth::agents {

// For root: a folder for this `data_folder` below /run, or below /dev/shm if /run is on disk. Else
// `data_folder` itself: a user's folders in memory are emptied at logout, even while kernels run. A folder to
// which other users have access is refused. Code: data-folder.
// The folder names its data folder. Another agent may remove it until it is held.
Result<std::string> fast_folder_for(const std::string& data_folder);

// Makes that folder where it is missing, and keeps others from removing it as long as the result lives. Waits
// for an agent that is removing it. Agents that hold it do not keep each other out. Code: data-folder.
Result<Descriptor> hold_fast_folder(const std::string& folder, const std::string& data_folder);

// Those that are there of a data folder with this path, for root. Makes nothing.
std::vector<std::string> fast_folders_of(const std::string& data_folder);

// Removes fast folders below `place` whose data folder is gone, unless an agent holds them or a kernel of
// theirs has its shim still; what other kernels have left running is ended.
void sweep_fast_folders(const std::string& place);

}  // namespace berth::agents
