#include "agents/runtime/strand.h"

#include <chrono>
#include <utility>

namespace berth::agents {

void Strand::start(Task after, Duration idle) {
  thread_ = std::thread([this, after = std::move(after), idle] { run(after, idle); });
}

void Strand::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    tasks_.push_back(std::move(task));
  }
  posted_.notify_one();
}

void Strand::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  posted_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Strand::run(const Task& after, Duration idle) {
  std::vector<Task> batch;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      posted_.wait_for(lock, std::chrono::nanoseconds(idle), [this] { return stopping_ || !tasks_.empty(); });
      if (stopping_) return;
      batch.swap(tasks_);
    }
    for (const Task& task : batch) task();
    batch.clear();
    after();
  }
}

}  // namespace berth::agents
