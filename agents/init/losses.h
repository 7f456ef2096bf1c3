// Losses: tells over one channel what ends with the kernel, aside of the helper.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "agents/init/aside.h"
#include "agents/init/loss_scan.h"

namespace berth::init {

// Of a kernel with a file system of its own that started then (wall clock, ns), else of one that is a process
// among others: what lies in the folder in which it works is its own.
LossGround loss_ground(std::optional<std::int64_t> started_at);

// Starts the answer to a request for kLosses. Returns as start_aside().
pid_t start_losses(const LossGround& ground, const Taken& taken, std::uint32_t restarts);

}  // namespace berth::init
