// Copy: packs or unpacks files for one channel, aside of the helper.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "agents/init/aside.h"
#include "events/inside/messages.h"

namespace berth::init {

// Starts the copy that a request for kPack or kUnpack wants. Returns as start_aside().
pid_t start_copy(const inside::Request& request, const Taken& taken, std::uint32_t restarts);

}  // namespace berth::init
