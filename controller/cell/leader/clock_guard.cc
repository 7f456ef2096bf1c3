#include "controller/cell/leader/clock_guard.h"

#include <algorithm>

namespace berth::controller {
namespace {

constexpr Duration kAgreement = 10 * kSecond;  // between a beat's clock and ours
constexpr Duration kWindow = kMinute;          // for so long

bool near(Timestamp a, Timestamp b, Duration most) { return a > b - most && a < b + most; }

}  // namespace

void ClockGuard::elected(const Instant& now, const Known& known) {
  const Timestamp last = std::max(known.last_header, known.heard);
  recorded_ = known.jumped;
  behind_recorded_ = known.behind;
  behind_said_ = 0;
  distrusted_ = recorded_ || (last != 0 && now.wall > last + kClockTolerance);
  silent_ = distrusted_ && !recorded_ && known.heard == 0;
  base_ = {distrusted_ ? last : std::max(now.wall, last), now.boottime};
  trusted_ = base_;
}

ClockGuard::Verdict ClockGuard::tick(const Instant& now, std::size_t alive) {
  renew(now, alive);
  if (is_ahead(now)) {
    distrusted_ = true;
    if (recorded_ || silent_) return Verdict::kFine;
    recorded_ = true;
    return Verdict::kJumped;
  }
  const bool was_recorded = recorded_;
  if (was_recorded)
    behind_recorded_ = false;  // the end of the one is the end of both, unless it is said anew
  distrusted_ = recorded_ = silent_ = false;
  base_ = {followed(now), now.boottime};
  const Verdict verdict = compare(now);
  return verdict == Verdict::kFine && was_recorded ? Verdict::kAgreesAgain : verdict;
}

// The wall clock with the time that is followed. A difference that grew by far is another one.
ClockGuard::Verdict ClockGuard::compare(const Instant& now) {
  const Duration behind = base_.time - now.wall;
  if (behind_recorded_ && behind_said_ == 0) behind_said_ = behind;
  if (behind > (behind_recorded_ ? behind_said_ : 0) + kClockTolerance) {
    behind_recorded_ = true;
    behind_said_ = behind;
    return Verdict::kBehind;
  }
  if (!behind_recorded_ || behind > 0) return Verdict::kFine;
  behind_recorded_ = false;
  return Verdict::kAgreesAgain;
}

Timestamp ClockGuard::followed(const Instant& now) const {
  const Duration passed = now.boottime - base_.boottime;
  return std::max(now.wall, base_.time + passed / kSlowPace.of * kSlowPace.parts);
}

void ClockGuard::witness(const Instant& now, Timestamp wall) {
  if (!silent_) return;
  // The sender's clock agrees with ours: the journal was silent, our clock did not jump.
  if (near(wall, now.wall, kClockTolerance))
    confirm(now);
  else
    silent_ = false;
}

void ClockGuard::beat(const Instant& now, const std::string& agent, Timestamp wall, bool same_machine) {
  if (window_.agrees.empty() || !near(window_.began.at(now), now.wall, kAgreement))
    window_ = {{now.wall, now.boottime}, {}, std::move(window_.no_witnesses)};
  if (same_machine) {
    window_.no_witnesses.insert(agent);
    return;
  }
  window_.no_witnesses.erase(agent);
  bool& agrees = window_.agrees.try_emplace(agent, true).first->second;
  agrees = agrees && near(wall, now.wall, kAgreement);
}

// The window's own beginning is what most agents agreed with: a jump after its last beat is not.
void ClockGuard::renew(const Instant& now, std::size_t alive) {
  if (window_.agrees.empty() || now.boottime < window_.began.boottime + kWindow) return;
  const auto agreeing = std::count_if(window_.agrees.begin(), window_.agrees.end(),
                                      [](const auto& agent) { return agent.second; });
  const std::size_t witnesses = alive - std::min(alive, window_.no_witnesses.size());
  if (2 * static_cast<std::size_t>(agreeing) > witnesses) trusted_ = window_.began;
  window_ = {};
}

void ClockGuard::confirm(const Instant& now) {
  const Timestamp time = header_time(now);
  distrusted_ = recorded_ = silent_ = false;
  base_ = {std::max(now.wall, time), now.boottime};
  trusted_ = {now.wall, now.boottime};
}

Timestamp ClockGuard::header_time(const Instant& now) const {
  return is_believed(now) ? followed(now) : base_.at(now);
}

}  // namespace berth::controller
