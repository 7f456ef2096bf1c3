// Fitness: whether kernels can start on this machine, as trials show. A trial is a kernel of the agent's own
// (agents/runtime/trial.h). Pure; times are CLOCK_BOOTTIME.
//
//   untried --trial--> fit --a start that failed by a fault of the machine,
//      |                ^    or failed starts in a row, then a failed trial--> unfit
//      |                |                                                     |
//      +--failed trial--+------------ a trial that succeeds, ----------------+
//         or none came     tried again after a pause that grows
//         to its end
//
// Only a trial makes an agent unfit: starts of people's kernels fail for reasons of their own, too.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/clock.h"
#include "events/base/result.h"

namespace berth::agents {

struct FitnessTimes {
  Duration first_trial = 10 * kSecond;  // until the agent joins without the first trial's result, as unfit
  Duration again_first = 10 * kSecond;  // from a failed trial to the next one, doubling
  Duration again_max = 300 * kSecond;
  std::size_t failures = 3;  // failed starts in a row, after which a trial is due
};

class Fitness {
 public:
  // `tries` false: fit from the beginning, without trials.
  Fitness(FitnessTimes times, bool tries)
      : times_(times), pause_(times.again_first), tries_(tries), known_(!tries) {}

  // The cluster can be told: the first trial has its result, or is waited for no longer.
  bool known() const { return known_; }
  // Why no kernel can start; empty: kernels can.
  const std::string& unfit() const { return unfit_; }
  // Whether a trial is to begin now. Asked at each tick; true once until that trial's result. known() and
  // unfit() may change, too.
  bool takes_trial(Timestamp now);
  // The trial's result. True: what the cluster is told changed.
  bool tried(const Result<void>& result, Timestamp now);
  // A kernel could not be started by a fault of the machine: a trial is due at once. Not so soon after a
  // trial that showed that a fault was not one of all kernels, as of a disk that is too full for the largest
  // alone: each trial holds up the starts of all.
  // `why`: of that start. While a trial fails by something else, people are told both.
  void doubt(const Error& why, Timestamp now);
  // Whether kernels can start is in doubt until the trial's result: no start is to begin.
  bool in_doubt() const { return doubted_; }
  // A kernel could not be started; a kernel was.
  void start_failed() { ++failed_; }
  void started() { failed_ = 0; }

 private:
  std::string words_of(const Error& trial) const;

  FitnessTimes times_;
  Duration pause_;
  bool tries_;
  bool known_;
  bool trying_ = false;
  bool doubted_ = false;
  Timestamp cleared_at_ = 0;  // the last doubt, by a trial that succeeded; 0: none was
  Timestamp began_ = 0;       // of the trial
  Timestamp again_at_ = 0;    // of the next trial; 0: none is due
  std::string unfit_;
  std::string doubt_why_;   // of the last doubt, until a trial succeeds
  std::size_t failed_ = 0;  // starts in a row
};

}  // namespace berth::agents
