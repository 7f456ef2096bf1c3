// The helper's one thread waits here for what its descriptors have to say.
#pragma once

#include <cstdint>
#include <map>

#include "events/base/files/descriptor.h"

namespace berth::init {

inline std::uint32_t events_if(bool wanted, std::uint32_t events) { return wanted ? events : 0; }

class Watcher {
 public:
  virtual ~Watcher() = default;
  // `events`: of epoll.
  virtual void ready(int fd, std::uint32_t events) = 0;
};

class Loop {
 public:
  Loop();
  bool good() const { return static_cast<bool>(epoll_); }
  // Tells `who` of these events of fd from now on; 0: of none.
  void watch(int fd, std::uint32_t events, Watcher& who);
  void forget(int fd);
  // Waits for events, at most so long (ms, -1: forever), and tells of them.
  void wait(int timeout);

 private:
  struct Watched {
    Watcher* who = nullptr;
    std::uint32_t events = 0;
  };
  Descriptor epoll_;
  std::map<int, Watched> watched_;
};

}  // namespace berth::init
