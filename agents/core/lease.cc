#include "agents/core/lease.h"

#include <algorithm>

namespace berth::agents {
namespace {

constexpr std::size_t kInFlightMax = 64;  // an ack of an older beat could not prolong anything

}  // namespace

void Lease::restart() {
  counter_ = 0;
  in_flight_.clear();
  until_.reset();
  heard_until_.reset();
  first_ack_due_.reset();
}

void Lease::let_in(Timestamp now) {
  if (!first_ack_due_) first_ack_due_ = now + patience_;
}

std::uint64_t Lease::sent(Timestamp now) {
  if (in_flight_.size() == kInFlightMax) in_flight_.pop_front();
  in_flight_.push_back({++counter_, now});
  return counter_;
}

bool Lease::acked(std::uint64_t counter, Duration granted, Timestamp now) {
  const auto beat =
      std::find_if(in_flight_.begin(), in_flight_.end(), [&](const Sent& s) { return s.counter == counter; });
  if (beat == in_flight_.end() || unheard(now)) return false;
  const Timestamp heard_until = beat->at + patience_, until = beat->at + std::min(granted, longest_);
  in_flight_.erase(in_flight_.begin(), beat + 1);
  if (heard_until <= now || (heard_until_ && heard_until <= *heard_until_)) return false;
  heard_until_ = heard_until;
  if (until_ && until <= *until_) return false;
  until_ = until;
  return true;
}

}  // namespace berth::agents
