#include "controller/runtime/core_queue.h"

#include <chrono>

namespace berth::controller {

void CoreQueue::push(QueueItem item) {
  bool was_empty;
  {
    const std::lock_guard lock(mutex_);
    was_empty = items_.empty();
    items_.push_back(std::move(item));
  }
  if (was_empty) filled_.notify_one();
}

void CoreQueue::push(std::vector<QueueItem>& items) {
  if (items.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (auto& item : items) items_.push_back(std::move(item));
  }
  items.clear();
  filled_.notify_one();
}

void CoreQueue::take(Duration wait, std::vector<QueueItem>& out) {
  out.clear();
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, std::chrono::nanoseconds(wait), [this] { return !items_.empty() || closed_; });
  out.swap(items_);
  drained_.notify_all();
}

std::size_t CoreQueue::size() const {
  const std::lock_guard lock(mutex_);
  return items_.size();
}

bool CoreQueue::wait_below(std::size_t size, Duration wait) {
  std::unique_lock lock(mutex_);
  return drained_.wait_for(lock, std::chrono::nanoseconds(wait),
                           [&] { return items_.size() < size || closed_; });
}

void CoreQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  filled_.notify_all();
  drained_.notify_all();
}

}  // namespace berth::controller
