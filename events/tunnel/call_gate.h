// CallGate: lets calls through until it is shut; from the return of shut() on none runs, nor begins.
// Thread-safe. Internal to the tunnel.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace berth::tunnel {

class CallGate {
 public:
  template <class Call> void through(Call&& call) {
    const std::shared_lock lock(mutex_);
    if (open_) call();
  }
  // Waits for calls that run. Not from one of them.
  void shut() {
    const std::unique_lock lock(mutex_);
    open_ = false;
  }

 private:
  std::shared_mutex mutex_;
  bool open_ = true;  // guarded
};

}  // namespace berth::tunnel
