// Viewer: shows a channel what a program has printed, from its place in the output on.
#pragma once

#include <cstdint>

#include "agents/init/client.h"
#include "agents/init/scrollback.h"

namespace berth::init {

class Viewer {
 public:
  Viewer(const Scrollback& output, Client& client)
      : output_(output), client_(client), shown_(output.begin()) {}
  // Sends what is new, as much as the channel takes, and how much of it is lost. True: all is sent.
  bool show();

 private:
  const Scrollback& output_;
  Client& client_;
  std::uint64_t shown_;  // a place in the output
};

}  // namespace berth::init
