// Connector: a connection that is being made to where a program of this kernel listens. Nothing waits for
// it: its owner watches, and asks it to go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "agents/init/loop.h"

namespace berth::init {

// A port of 127.0.0.1, or of ::1 if nobody listens there; 0: a Unix socket.
struct Place {
  std::uint16_t port = 0;
  std::string path;
};

class Connector {
 public:
  enum class State : std::uint8_t { kUnderWay, kMade, kRefused };

  Connector(Loop& loop, Watcher& owner, Place place) : loop_(loop), owner_(owner), place_(std::move(place)) {}
  ~Connector() { let_go(); }
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  // First, then when the owner is told of its descriptor, and at times: a Unix socket whose queue is full
  // tells nobody when it has room.
  State go_on();
  // REQUIRES: it is made.
  Descriptor take();

 private:
  enum class Step : std::uint8_t { kWait, kMade, kNext };
  Step begin();
  Step look() const;
  bool leads_to_itself() const;
  void let_go();

  Loop& loop_;
  Watcher& owner_;
  Place place_;
  std::size_t address_ = 0;  // of those that the place has, in their order
  Descriptor socket_;
};

}  // namespace berth::init
