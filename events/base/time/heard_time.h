// HeardTime: the cluster's time (P16), as its leader's messages tell it, counted on by the boottime clock.
//
// A message comes late where the log stood still, and never early: the time is not set back by more than the
// pace that a slow one has, nor by more than kLateMost at once. Pure; one thread.
#pragma once

#include <algorithm>

#include "events/base/clock.h"

namespace berth {

class HeardTime {
 public:
  // `slow`: the leader follows a clock that is behind and says so, and each message is right.
  void hear(Timestamp told, Timestamp boottime, bool slow = false) {
    constexpr Duration kLateMost = 30 * kSecond;
    const Duration ahead = told - boottime;
    const Duration slower = std::min((boottime - heard_at_) / 4, kLateMost);
    ahead_ = !heard() || slow ? ahead : std::max(ahead, ahead_ - slower);
    told_ = told;
    heard_at_ = boottime;
  }
  bool heard() const { return told_ != 0; }
  Timestamp told() const { return told_; }   // by the newest message; 0: none came
  Duration ahead() const { return ahead_; }  // of the boottime clock

 private:
  Timestamp told_ = 0;
  Duration ahead_ = 0;
  Timestamp heard_at_ = 0;
};

}  // namespace berth
