// WorkPool: threads for work that blocks, such as that on disks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::agents {

// Threads: any, but stop() and the destructor: the owner's, and not from a task.
class WorkPool {
 public:
  using Task = std::function<void()>;

  explicit WorkPool(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  }
  ~WorkPool() { stop(); }

  // After stop() the task is let go. Who posts bounds how many wait.
  void post(Task task) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    tasks_.push_back(std::move(task));
    posted_.notify_one();
  }
  // Waits for the tasks that run now; those behind them are let go. Idempotent.
  void stop() {
    std::deque<Task> dropped;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      dropped.swap(tasks_);
      posted_.notify_all();
    }
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

 private:
  void run() {
    for (;;) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        posted_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (stopping_) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Task> tasks_;  // guarded
  bool stopping_ = false;   // guarded
  std::vector<std::thread> threads_;
};

}  // namespace berth::agents
