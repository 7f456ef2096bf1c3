// Where the small files of live kernels go: memory, when the machine has a safe place there.
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth::agents {

// For root: a folder of its own for `data_folder` below /run, or /dev/shm where /run is on disk. Else
// `data_folder` itself (a user's places in memory are emptied at logout, kernels or not). A folder that is
// not ours alone is refused. Code: data-folder.
Result<std::string> fast_folder_for(const std::string& data_folder);

}  // namespace berth::agents
