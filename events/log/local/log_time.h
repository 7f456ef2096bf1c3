// LogTime: the time of the log's rows, for retention alone: it goes on while the log is open, from its newest
// row. So a wall clock that jumps removes nothing, and rows are kept for that long at least.
#pragma once

#include "events/base/clock.h"

namespace berth::local {

class LogTime {
 public:
  // `newest`: the time of the newest row; 0: there is none.
  void start(Timestamp newest, const Instant& now) {
    ahead_ = (newest != 0 ? newest : now.wall) - now.boottime;
  }
  Timestamp at(const Instant& now) const { return now.boottime + ahead_; }

 private:
  Duration ahead_ = 0;  // of the boottime
};

}  // namespace berth::local
