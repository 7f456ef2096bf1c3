// PointDesk: the chain point that the folding thread gave out last, and a way to ask it for a newer one.
//
// Only that thread may take the state's hash (projections/store/projector.h). Others read here what it took
// anyway for its last batch, or ask and wait. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "events/base/clock.h"
#include "events/base/result.h"
#include "projections/fold/chain.h"

namespace berth::controller {

class PointDesk {
 public:
  // The last one given out.
  projections::ChainPoint point() const;
  // Waits for one that was taken after this call, at most `wait`; `wake` makes the folding thread look at
  // is_asked(). REQUIRES: the caller holds no lock. Codes: not-ready, stopping.
  template <class Wake> Result<projections::ChainPoint> ask(Duration wait, Wake wake) {
    const std::uint64_t mine = note_question();
    wake();
    return answer_to(mine, wait);
  }

  // The folding thread's half. answer() is called with a point taken after the is_asked() before it.
  bool is_asked();
  void show(const projections::ChainPoint& point);
  void answer(const projections::ChainPoint& point);
  void close();

 private:
  std::uint64_t note_question();
  Result<projections::ChainPoint> answer_to(std::uint64_t question, Duration wait);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  projections::ChainPoint point_;
  std::uint64_t asked_ = 0;     // number of questions
  std::uint64_t seen_ = 0;      // those that the folding thread knows of
  std::uint64_t answered_ = 0;  // those with an answer
  bool closed_ = false;
};

}  // namespace berth::controller
