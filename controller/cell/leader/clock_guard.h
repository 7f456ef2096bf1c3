// ClockGuard: which time the leader puts into headers, and whether deadlines may fire (P16).
//
// A wall clock is believed up to kClockTolerance ahead of the trusted time: a time that was right once, plus
// what the boottime clock has counted since. That bound holds at every use, so a jump between two ticks is
// seen, and no tick renews it, so small steps do not add up. While the clock is ahead nothing is believed of
// it: until it agrees again, most agents' clocks agree with it, or an operator confirms it, time is the last
// believed time plus what the boottime clock has counted.
//
// A wall clock that is behind the time of the records (it was ahead and was set right) is followed slowly:
// time goes on at kSlowPace of the boottime clock until the wall clock has caught up. Deadlines fire
// meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "events/base/clock.h"

namespace berth::controller {

inline constexpr Duration kClockTolerance = 60 * kSecond;
// How fast header time goes on while the wall clock is behind header time: 2 h are made good in 8.
struct Pace {
  std::int64_t parts, of;
};
inline constexpr Pace kSlowPace{3, 4};

class ClockGuard {
 public:
  enum class Verdict : std::uint8_t { kFine, kJumped, kBehind, kAgreesAgain };

  // What a new leader knows about the time at its election.
  struct Known {
    Timestamp last_header = 0;  // header time of the newest record; 0: the journal has no record
    // The cluster's time now, as the heartbeats of the leader before told it; 0: none was heard. With it the
    // log was not silent.
    Timestamp heard = 0;
    bool jumped = false;  // ClockJumped is in the journal, and no end of it
    bool behind = false;  // ClockBehind is
  };
  // A clock far ahead of what is known is believed only once witness() agrees with it, and that only where
  // the log was silent.
  void elected(const Instant& now, const Known& known);
  // At each tick of a leader. kJumped, kBehind and kAgreesAgain are said once, to be recorded. `alive`: how
  // many agents are alive.
  [[nodiscard]] Verdict tick(const Instant& now, std::size_t alive);
  // The wall clock of the maker of a beat or request just read.
  void witness(const Instant& now, Timestamp wall);
  // The wall clock of an agent that is alive, by a fresh beat. An agent on the controller's own machine has
  // the controller's own clock: that agent's beats confirm nothing.
  void beat(const Instant& now, const std::string& agent, Timestamp wall, bool same_machine);
  // An operator's word.
  void confirm(const Instant& now);

  // Never falls below the last header time given in.
  Timestamp header_time(const Instant& now) const;
  bool may_fire_deadlines(const Instant& now) const { return is_believed(now); }

 private:
  // A time of day, and the boottime at which it was that.
  struct Pair {
    Timestamp time = 0;
    Timestamp boottime = 0;
    Timestamp at(const Instant& now) const { return time + (now.boottime - boottime); }
  };
  // Beats of a minute in which the wall clock ran as the boottime clock did.
  struct Window {
    Pair began;
    std::map<std::string, bool> agrees;  // by agent: all its beats
    std::set<std::string> no_witnesses;
  };
  bool is_ahead(const Instant& now) const { return now.wall > trusted_.at(now) + kClockTolerance; }
  bool is_believed(const Instant& now) const { return !distrusted_ && !is_ahead(now); }
  void renew(const Instant& now, std::size_t alive);
  // Of a clock that is believed.
  Timestamp followed(const Instant& now) const;
  Verdict compare(const Instant& now);

  Pair trusted_;  // bounds what is believed
  Pair base_;     // what was believed last
  Window window_;
  bool distrusted_ = false;
  bool recorded_ = false;         // ClockJumped is in the journal
  bool behind_recorded_ = false;  // ClockBehind is
  Duration behind_said_ = 0;      // by how much, when it was recorded; 0: another leader did
  bool silent_ = false;  // distrusted only because the last header was old at the election; no witness yet
};

}  // namespace berth::controller
