// Ranked: a sorted set that counts the elements before a value. It is a list of short sorted runs.
//
// Insert and erase move one run (kRun elements at most); rank() adds up the sizes of the runs before. Less
// memory than a tree of nodes, and the first element, which is asked for most, is always at hand. Elements in
// ascending order are packed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace berth::placement {

template <class T> class Ranked {
 public:
  class const_iterator {
   public:
    const_iterator(const Ranked* all, std::size_t run, std::size_t at) : all_(all), run_(run), at_(at) {}
    const T& operator*() const { return all_->runs_[run_][at_]; }
    const T* operator->() const { return &**this; }
    const_iterator& operator++() {
      if (++at_ == all_->runs_[run_].size()) {
        ++run_;
        at_ = 0;
      }
      return *this;
    }
    bool operator==(const const_iterator& other) const { return run_ == other.run_ && at_ == other.at_; }

   private:
    const Ranked* all_;
    std::size_t run_, at_;
  };

  const_iterator begin() const { return {this, 0, 0}; }
  const_iterator end() const { return {this, runs_.size(), 0}; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void clear() {
    runs_.clear();
    size_ = 0;
  }

  // REQUIRES: the value is absent.
  void insert(T value) {
    ++size_;
    std::size_t run = run_of(value);
    if (run == runs_.size() && (run == 0 || runs_.back().size() == kRun)) {
      runs_.emplace_back().push_back(std::move(value));
      return;
    }
    if (run == runs_.size()) --run;  // behind all others: the last run has room
    if (runs_[run].size() == kRun) run = split(run, value);
    auto& items = runs_[run];
    items.insert(std::lower_bound(items.begin(), items.end(), value), std::move(value));
  }

  // Returns false if the value is absent.
  bool erase(const T& value) {
    const std::size_t run = run_of(value);
    if (run == runs_.size()) return false;
    auto& items = runs_[run];
    const auto at = std::lower_bound(items.begin(), items.end(), value);
    if (at == items.end() || value < *at) return false;
    items.erase(at);
    if (items.empty()) runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(run));
    --size_;
    return true;
  }

  // How many elements are less.
  std::size_t rank(const T& value) const {
    const std::size_t run = run_of(value);
    std::size_t before = 0;
    for (std::size_t i = 0; i < run; ++i) before += runs_[i].size();
    if (run == runs_.size()) return before;
    const auto& items = runs_[run];
    return before +
           static_cast<std::size_t>(std::lower_bound(items.begin(), items.end(), value) - items.begin());
  }

  std::size_t bytes() const {
    std::size_t sum = runs_.capacity() * sizeof(std::vector<T>);
    for (const auto& run : runs_) sum += run.capacity() * sizeof(T);
    return sum;
  }

 private:
  static constexpr std::size_t kRun = 64;

  // The first run whose last element is not less.
  std::size_t run_of(const T& value) const {
    const auto less = [](const std::vector<T>& run, const T& wanted) { return run.back() < wanted; };
    return static_cast<std::size_t>(std::lower_bound(runs_.begin(), runs_.end(), value, less) -
                                    runs_.begin());
  }

  // Halves a full run. Returns the half into which `value` belongs.
  std::size_t split(std::size_t run, const T& value) {
    std::vector<T>& full = runs_[run];
    const auto middle = full.begin() + kRun / 2;
    std::vector<T> upper(std::make_move_iterator(middle), std::make_move_iterator(full.end()));
    full.erase(middle, full.end());
    const std::size_t target = full.back() < value ? run + 1 : run;
    runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(run) + 1, std::move(upper));
    return target;
  }

  std::vector<std::vector<T>> runs_;  // none empty
  std::size_t size_ = 0;
};

}  // namespace berth::placement
