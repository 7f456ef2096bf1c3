#include "controller/cell/leader/clock_guard.h"

#include <algorithm>

namespace berth::controller {
namespace {

constexpr Duration kAgreement = 10 * kSecond;  // between a beat's clock and ours
constexpr Duration kWindow = kMinute;          // for so long

bool near(Timestamp a, Timestamp b, Duration most) { return a > b - most && a < b + most; }

}  // namespace

void ClockGuard::elected(const Instant& now, Timestamp last_header, bool recorded_jump) {
  recorded_ = recorded_jump;
  distrusted_ = recorded_jump || (last_header != 0 && now.wall > last_header + kClockTolerance);
  silent_ = distrusted_ && !recorded_;
  base_ = {distrusted_ ? last_header : std::max(now.wall, last_header), now.boottime};
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
  distrusted_ = recorded_ = silent_ = false;
  follow(now);  // small steps are followed, also backwards ones by standing still
  return was_recorded ? Verdict::kAgreesAgain : Verdict::kFine;
}

void ClockGuard::follow(const Instant& now) { base_ = {std::max(now.wall, base_.time), now.boottime}; }

void ClockGuard::witness(const Instant& now, Timestamp sent) {
  if (!silent_) return;
  // What was just sent by somebody else agrees with our clock: the journal was silent, the clock did not
  // jump.
  if (near(sent, now.wall, kClockTolerance))
    confirm(now);
  else
    silent_ = false;
}

void ClockGuard::beat(const Instant& now, const std::string& agent, Timestamp sent) {
  if (window_.agrees.empty() || !near(window_.began.at(now), now.wall, kAgreement))
    window_ = {{now.wall, now.boottime}, {}};
  bool& agrees = window_.agrees.try_emplace(agent, true).first->second;
  agrees = agrees && near(sent, now.wall, kAgreement);
}

// The window's own beginning is what most agents agreed with: a jump after its last beat is not.
void ClockGuard::renew(const Instant& now, std::size_t alive) {
  if (window_.agrees.empty() || now.boottime < window_.began.boottime + kWindow) return;
  const auto agreeing = std::count_if(window_.agrees.begin(), window_.agrees.end(),
                                      [](const auto& agent) { return agent.second; });
  if (2 * static_cast<std::size_t>(agreeing) > alive) trusted_ = window_.began;
  window_.agrees.clear();
}

void ClockGuard::confirm(const Instant& now) {
  distrusted_ = recorded_ = silent_ = false;
  follow(now);
  trusted_ = base_;
}

Timestamp ClockGuard::header_time(const Instant& now) const {
  return is_believed(now) ? std::max(now.wall, base_.time) : base_.at(now);
}

}  // namespace berth::controller
