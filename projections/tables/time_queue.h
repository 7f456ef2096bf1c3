// TimeQueue: keys in order of header time, which never falls. The earliest is in front.
//
// Rows leave at the front (expiry) or at the back (undo of a record), so both ends are cheap. Elsewhere a
// change costs a linear search: whoever loads rows from the store brings them in order of time.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>

#include "events/base/clock.h"

namespace berth::projections {

template <class Key> class TimeQueue {
 public:
  using Entry = std::pair<Timestamp, Key>;

  bool empty() const { return queue_.empty(); }
  const Entry& front() const { return queue_.front(); }
  std::size_t size() const { return queue_.size(); }

  void insert(Timestamp time, const Key& key) {
    if (queue_.empty() || time >= queue_.back().first)
      queue_.emplace_back(time, key);
    else if (time <= queue_.front().first)
      queue_.emplace_front(time, key);
    else
      queue_.insert(std::upper_bound(queue_.begin(), queue_.end(), time,
                                     [](Timestamp t, const Entry& e) { return t < e.first; }),
                    Entry(time, key));
  }

  void remove(Timestamp time, const Key& key) {
    if (queue_.empty()) return;
    const Entry entry(time, key);
    if (queue_.front() == entry) {
      queue_.pop_front();
      return;
    }
    if (queue_.back() == entry) {
      queue_.pop_back();
      return;
    }
    const auto from = std::lower_bound(queue_.begin(), queue_.end(), time,
                                       [](const Entry& e, Timestamp t) { return e.first < t; });
    const auto it = std::find(from, queue_.end(), entry);
    if (it != queue_.end()) queue_.erase(it);
  }

 private:
  std::deque<Entry> queue_;
};

}  // namespace berth::projections
