// Places: how many of something may be open at once. Threads: one at a time.
#pragma once

#include <cstddef>
#include <memory>

namespace berth::agents {

class Places {
 public:
  explicit Places(std::size_t max) : max_(max) {}

  // Held as long as its handle, also beyond this object. Null: all are taken.
  std::shared_ptr<void> take() const {
    if (*taken_ >= max_) return nullptr;
    ++*taken_;
    return {taken_.get(), [taken = taken_](void*) { --*taken; }};
  }
  std::size_t max() const { return max_; }

 private:
  const std::size_t max_;
  const std::shared_ptr<std::size_t> taken_ = std::make_shared<std::size_t>(0);
};

}  // namespace berth::agents
