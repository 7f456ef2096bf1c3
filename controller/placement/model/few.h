// Few: a list that usually has one element. One element lies in the object itself; more lie on the heap.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace berth::placement {

template <class T> class Few {
 public:
  Few() = default;
  explicit Few(std::vector<T> all) { assign(std::move(all)); }
  Few(Few&&) noexcept = default;
  Few& operator=(Few&&) noexcept = default;
  Few(const Few& other) : first_(other.first_), count_(other.count_) {
    if (other.more_) more_ = std::make_unique<std::vector<T>>(*other.more_);
  }
  Few& operator=(const Few& other) {
    if (this != &other) *this = Few(other);
    return *this;
  }

  std::span<const T> view() const {
    return more_ ? std::span<const T>(*more_) : std::span<const T>(&first_, count_);
  }
  std::span<T> view() { return more_ ? std::span<T>(*more_) : std::span<T>(&first_, count_); }
  bool empty() const { return !more_ && count_ == 0; }

  void push_back(T value) {
    if (more_) return more_->push_back(std::move(value));
    if (count_ == 0) {
      first_ = std::move(value);
      count_ = 1;
      return;
    }
    std::vector<T> all = take();
    all.push_back(std::move(value));
    assign(std::move(all));
  }
  // Moves all elements out; the list is empty then.
  std::vector<T> take() {
    std::vector<T> all;
    if (more_)
      all = std::move(*more_);
    else if (count_ == 1)
      all.push_back(std::move(first_));
    more_.reset();
    count_ = 0;
    return all;
  }
  void assign(std::vector<T> all) {
    more_.reset();
    count_ = all.size() == 1;
    if (count_ == 1)
      first_ = std::move(all.front());
    else if (!all.empty())
      more_ = std::make_unique<std::vector<T>>(std::move(all));
  }

 private:
  T first_{};
  std::unique_ptr<std::vector<T>> more_;
  std::uint32_t count_ = 0;
};

}  // namespace berth::placement
