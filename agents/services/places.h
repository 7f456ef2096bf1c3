// Places: how many of something may be open at once. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace berth::agents {

class Places {
 public:
  explicit Places(std::size_t max) : max_(max) {}

  // Held as long as its handle, by whatever thread, also beyond this object. Null: all are taken.
  std::shared_ptr<void> take() const {
    if (taken_->fetch_add(1) < max_) return {taken_.get(), [taken = taken_](void*) { taken->fetch_sub(1); }};
    taken_->fetch_sub(1);
    return nullptr;
  }
  std::size_t max() const { return max_; }

 private:
  const std::size_t max_;
  const std::shared_ptr<std::atomic<std::size_t>> taken_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace berth::agents
