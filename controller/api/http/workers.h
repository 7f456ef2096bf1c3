// Workers: a few threads that run what the I/O threads must not: continuations, and what blocks; and a clock
// of their own for deadlines.
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

// Thread-safe. Tasks that are still queued when it stops are dropped, so they must not be the only ones to
// answer somebody.
class Workers {
 public:
  using Task = std::function<void()>;
  explicit Workers(int threads);
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(Task task);
  void post_after(std::chrono::milliseconds delay, Task task);
  // Waits for the tasks that run now. Not from a task.
  void stop();

 private:
  using Time = std::chrono::steady_clock::time_point;
  void run();
  // Next task that is due, or nothing when stopping.
  Task take();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<Task> ready_;
  std::multimap<Time, Task> later_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace berth::controller::api
