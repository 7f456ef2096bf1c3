#include "controller/api/http/workers.h"

namespace berth::controller::api {

Workers::Workers(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

void Workers::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    ready_.push(std::move(task));
  }
  changed_.notify_one();
}

void Workers::post_after(std::chrono::milliseconds delay, Task task) {
  bool earliest = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const auto place = later_.emplace(std::chrono::steady_clock::now() + delay, std::move(task));
    earliest = place == later_.begin();
  }
  if (earliest) changed_.notify_all();  // who sleeps until a later deadline must look again
}

void Workers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
  std::queue<Task> ready;
  std::multimap<Time, Task> later;
  const std::lock_guard lock(mutex_);
  ready.swap(ready_);
  later.swap(later_);
}

void Workers::run() {
  while (Task task = take()) task();
}

Workers::Task Workers::take() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Time now = std::chrono::steady_clock::now();
    while (!later_.empty() && later_.begin()->first <= now) {
      ready_.push(std::move(later_.begin()->second));
      later_.erase(later_.begin());
    }
    if (!ready_.empty()) {
      Task task = std::move(ready_.front());
      ready_.pop();
      if (!ready_.empty()) changed_.notify_one();
      return task;
    }
    if (later_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Time due = later_.begin()->first;  // a copy: another thread may take that task while this one waits
    changed_.wait_until(lock, due);
  }
  return nullptr;
}

}  // namespace berth::controller::api
