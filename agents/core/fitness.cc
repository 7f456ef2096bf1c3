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
  const bool suspected = unfit_.empty() && (doubted_ || failed_.size() >= times_.failures);
  if (!first && !again && !suspected) return false;
  trying_ = true;
  began_ = now;
  again_at_ = 0;
  failed_.clear();
  return true;
}

bool Fitness::tried(const Result<void>& result, Timestamp now) {
  const std::string before = unfit_;
  const bool first = !known_;
  if (doubted_) cleared_at_ = result.ok() ? now : 0;
  trying_ = doubted_ = false;
  known_ = true;
  failed_.clear();
  unfit_ = result.ok() ? "" : plain_line(to_string(result.error()), kWordsMax);
  if (result.ok()) {
    pause_ = times_.again_first;
    return first || unfit_ != before;
  }
  again_at_ = now + pause_;
  pause_ = std::min(pause_ * 2, times_.again_max);
  return first || unfit_ != before;
}

void Fitness::start_failed(const SessionId& session) { failed_.insert(session); }

}  // namespace berth::agents
