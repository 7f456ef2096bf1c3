// Strand: one thread that runs tasks in the order in which they were posted. Members that only the strand
// uses need no lock.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "events/base/clock.h"

namespace berth::agents {

class Strand {
 public:
  using Task = std::function<void()>;

  ~Strand() { stop(); }

  // `after`: runs after each batch of tasks, and at least every `idle`.
  void start(Task after, Duration idle);
  // Thread-safe. Tasks posted after stop() never run.
  void post(Task task);
  // Waits for the task that runs now; the tasks behind it never run. Not from the strand itself.
  void stop();

 private:
  void run(const Task& after, Duration idle);

  std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<Task> tasks_;  // guarded
  bool stopping_ = false;    // guarded
  std::thread thread_;
};

}  // namespace berth::agents
