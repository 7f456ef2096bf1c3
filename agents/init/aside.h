// Aside: a process of the helper that serves one channel, and ends with it. It has the channel for itself:
// what the file system makes it wait for (a network, a FUSE program that hangs) holds up neither the helper
// nor what else it serves.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string_view>

#include "events/inside/frames.h"

namespace berth::init {

// What an aside takes over of a client.
struct Taken {
  int socket = -1;
  inside::FrameReader& frames;  // what was read of the socket already
};

// The aside's end of the channel. It waits for the other side.
class Line {
 public:
  Line(int socket, inside::FrameReader& frames) : socket_(socket), frames_(frames) {}

  // False: the other side has gone.
  bool send(inside::FrameType type, std::string_view payload);
  // Its payload lives until the next call. nullopt: the other side has gone, or its frames are broken.
  std::optional<inside::Frame> next();
  bool broken() const { return frames_.broken(); }

 private:
  int socket_;
  inside::FrameReader& frames_;
};

// Starts the process `name`, which ends when `serve` returns. Returns the process, -1: errno says why not.
// The caller reads and writes the socket no more.
pid_t start_aside(const Taken& taken, const char* name, const std::function<void(Line&)>& serve);

}  // namespace berth::init
