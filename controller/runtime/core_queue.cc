#include "controller/runtime/core_queue.h"

#include <chrono>

namespace berth::controller {

void CoreQueue::push(Input input) {
  bool was_empty;
  {
    const std::lock_guard lock(mutex_);
    was_empty = inputs_.empty();
    inputs_.push_back(std::move(input));
  }
  if (was_empty) filled_.notify_one();
}

void CoreQueue::push(std::vector<Input>& inputs) {
  if (inputs.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (Input& input : inputs) inputs_.push_back(std::move(input));
  }
  inputs.clear();
  filled_.notify_one();
}

void CoreQueue::take(Duration wait, std::vector<Input>& out) {
  out.clear();
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, std::chrono::nanoseconds(wait), [this] { return !inputs_.empty() || closed_; });
  out.swap(inputs_);
  drained_.notify_all();
}

std::size_t CoreQueue::size() const {
  const std::lock_guard lock(mutex_);
  return inputs_.size();
}

bool CoreQueue::wait_below(std::size_t size, Duration wait) {
  std::unique_lock lock(mutex_);
  return drained_.wait_for(lock, std::chrono::nanoseconds(wait),
                           [&] { return inputs_.size() < size || closed_; });
}

void CoreQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  filled_.notify_all();
  drained_.notify_all();
}

}  // namespace berth::controller
