// Workers: a few threads for tasks that the I/O threads must not run: continuations and blocking calls; with
// a clock for deadlines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace berth::controller::api {

// Thread-safe. stop() drops the queued tasks, so no reply may depend on a queued task alone.
class Workers {
 public:
  using Task = std::function<void()>;
  explicit Workers(int threads);
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(Task task);
  void post_after(std::chrono::milliseconds delay, Task task);
  // Waits for the running tasks. Not from a task.
  void stop();

 private:
  using Time = std::chrono::steady_clock::time_point;
  void run();
  // Waits for the next task that is due; an empty one when stopping.
  Task take();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<Task> ready_;
  std::multimap<Time, Task> later_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace berth::controller::api
