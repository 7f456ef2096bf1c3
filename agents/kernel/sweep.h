// Sweep: removes what kernels of earlier lives left in the data folder.
#pragma once

#include <atomic>

#include "agents/kernel/shim/records.h"
#include "events/base/clock.h"

namespace berth::agents {

// Layers and disks of every kernel that is not in the fast folder any more, and the logs of those that were
// written last before `logs_before` (wall clock). Safe beside a backend at work: a kernel's folder is made
// before its layers, and removed before them. May take long; ends soon after `stop`.
void sweep(const shim::Folders& folders, Timestamp logs_before, const std::atomic<bool>& stop);

}  // namespace berth::agents
