#include "agents/core/fitness.h"

#include <algorithm>

#include "events/base/plain_text.h"

namespace berth::agents {
namespace {

constexpr std::size_t kWordsMax = 480;  // bytes: what people read in a list

}  // namespace

bool Fitness::takes_trial(Timestamp now) {
  if (!tries_) return false;
  if (trying_) {
    if (known_ || now < began_ + times_.first_trial) return false;
    known_ = true;
    unfit_ = "its trial kernel has not started for " + std::to_string(times_.first_trial / kSecond) + " s";
    return false;
  }
  const bool first = !known_, again = again_at_ != 0 && now >= again_at_;
  const bool suspected = unfit_.empty() && (doubted_ || failed_ >= times_.failures);
  if (!first && !again && !suspected) return false;
  trying_ = true;
  began_ = now;
  again_at_ = 0;
  failed_ = 0;
  return true;
}

// A trial that is late or left over says less than the start that failed before it.
std::string Fitness::words_of(const Error& trial) const {
  const std::string words = to_string(trial);
  if (doubt_why_.empty() || doubt_why_ == words) return plain_line(words, kWordsMax);
  return plain_line(doubt_why_ + "; its trial: " + words, kWordsMax);
}

bool Fitness::tried(const Result<void>& result, Timestamp now) {
  const std::string before = unfit_;
  const bool first = !known_;
  if (doubted_) cleared_at_ = result.ok() ? now : 0;
  trying_ = doubted_ = false;
  known_ = true;
  failed_ = 0;
  unfit_ = result.ok() ? "" : words_of(result.error());
  if (result.ok()) {
    doubt_why_.clear();
    pause_ = times_.again_first;
    return first || unfit_ != before;
  }
  again_at_ = now + pause_;
  pause_ = std::min(pause_ * 2, times_.again_max);
  return first || unfit_ != before;
}

void Fitness::doubt(const Error& why, Timestamp now) {
  if (!tries_ || !unfit_.empty() || (cleared_at_ != 0 && now < cleared_at_ + times_.again_first)) return;
  doubted_ = true;
  doubt_why_ = to_string(why);
}

}  // namespace berth::agents
