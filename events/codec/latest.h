// Latest: a value that is replaced now and then while others read it, without a lock (for pure code).
//
// A value that was replaced is kept as long as this object: readers hold references. So it is for what
// changes a few times in a process's life. Whoever changes it does so one at a time.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace berth {

template <typename T> class Latest {
 public:
  explicit Latest(T value = {}) { set(std::move(value)); }
  Latest(const Latest&) = delete;
  Latest& operator=(const Latest&) = delete;

  // Valid as long as this object.
  const T& get() const { return *now_.load(std::memory_order_acquire); }
  void set(T value) {
    all_.push_back(std::make_unique<const T>(std::move(value)));
    now_.store(all_.back().get(), std::memory_order_release);
  }

 private:
  std::vector<std::unique_ptr<const T>> all_;
  std::atomic<const T*> now_{nullptr};
};

}  // namespace berth
