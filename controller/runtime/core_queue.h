// CoreQueue: what the log's threads and the timers hand to the core's strand.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <variant>
#include <vector>

#include "controller/cell/ports.h"

namespace berth::controller {

// Work for the strand that is no input of the core: a question about its state.
using StrandTask = std::function<void()>;
using QueueItem = std::variant<Input, StrandTask>;

// Thread-safe: many writers, one reader.
class CoreQueue {
 public:
  void push(QueueItem item);
  void push(std::vector<QueueItem>& items);  // empties it
  // Waits at most `wait` for something; gives all that is there.
  void take(Duration wait, std::vector<QueueItem>& out);
  std::size_t size() const;
  // Waits until fewer than `size` items are there, at most `wait`. For writers that can wait (inputs: P20).
  bool wait_below(std::size_t size, Duration wait);
  void close();

 private:
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable drained_;
  std::vector<QueueItem> items_;
  bool closed_ = false;
};

}  // namespace berth::controller
