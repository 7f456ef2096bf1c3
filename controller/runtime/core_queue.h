// CoreQueue: the inputs that the log's threads, the projector and the learner hand to the core's strand.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "controller/cell/ports.h"

namespace berth::controller {

// Thread-safe: many writers, one reader.
class CoreQueue {
 public:
  void push(Input input);
  void push(std::vector<Input>& inputs);  // empties it
  // Waits at most `wait` for an input, and takes all.
  void take(Duration wait, std::vector<Input>& out);
  std::size_t size() const;
  // Waits until fewer than `size` inputs are queued, at most `wait`; false if too many remain. For writers
  // that can wait (P20).
  bool wait_below(std::size_t size, Duration wait);
  void close();

 private:
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable drained_;
  std::vector<Input> inputs_;
  bool closed_ = false;
};

}  // namespace berth::controller
