// Copy: a process of the helper that packs or unpacks files for one channel, and ends with it. It has the
// channel for itself: what the file system makes it wait for (a network, a FUSE program that hangs) holds up
// neither the helper nor what else it serves.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "events/inside/frames.h"
#include "events/inside/messages.h"

namespace berth::init {

// What a copy takes over of a client.
struct Taken {
  int socket = -1;
  inside::FrameReader& frames;  // what was read of the socket already
};

// Starts the copy that a request for kPack or kUnpack wants. Returns its process, -1: errno says why not. The
// caller reads and writes the socket no more.
pid_t start_copy(const inside::Request& request, const Taken& taken, std::uint32_t restarts);

}  // namespace berth::init
