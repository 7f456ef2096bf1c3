// The plain scheduler's orders: who of those that wait comes next. The higher priority first; in it those
// that were skipped often enough come behind the others (skip-after-n, for every order but backfill); then
//
//   fifo, backfill  by arrival, the first first        lifo  the last first
//   drf             the user with the least dominant share as things are now, live sessions alone;
//                   then by arrival
//   fair-share      the higher factor of domain, project, user, in this order; then by arrival.
//                   No row: factor 0
//
// Shared with the real scheduler: the numbers of fair_share.h (decay, mean, power of two), which are tables
// of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "controller/placement/order/fair_share.h"
#include "tests/unit/placement/plain_books.h"

namespace berth::placement::testing {

struct PlainFraction {  // by value
  Amount held = 0, capacity = 1;
  friend bool operator<(const PlainFraction& a, const PlainFraction& b) {
    return static_cast<__int128>(a.held) * b.capacity < static_cast<__int128>(b.held) * a.capacity;
  }
  friend bool operator==(const PlainFraction& a, const PlainFraction& b) { return !(a < b) && !(b < a); }
};

// Of the agents that take sessions now.
inline Amount plain_capacity(const PlainBooks& books, SlotId slot) {
  Amount sum = 0;
  for (const auto& [id, agent] : books.agents)
    sum += agent.schedulable && !agent.draining ? books.capacity(agent, slot) : 0;
  return sum;
}

// The largest part of a slot that the user's live sessions asked for.
inline PlainFraction dominant_share_of(const PlainBooks& books, const std::string& user) {
  PlainFraction most;
  for (SlotId slot = 0; slot < books.slots.size(); ++slot) {
    PlainFraction share{0, plain_capacity(books, slot)};
    if (share.capacity <= 0 || !books.counts(slot)) continue;
    for (const PlainSession& s : books.sessions) {
      if (s.state == PlainState::kLive && s.spec.user == user)
        share.held += PlainBooks::asked(s.spec.kernels, slot);
    }
    if (most < share) most = share;
  }
  return most;
}

using PlainFactors = std::map<std::pair<ShareScope, std::string>, Factor>;

inline Factor plain_factor(const PlainBooks& books, const FairShareRow& row, std::int32_t today) {
  const FairShareSettings& settings = books.policy.fair_share;
  std::vector<SlotShare> shares;
  for (SlotId slot = 0; slot < books.slots.size(); ++slot) {
    const auto used = decayed_usage(row.usage, today, settings);
    const auto weighs = [&](const auto& entry) {
      return books.slots[slot].name == entry.first || books.slots[slot].name.starts_with(entry.first + ".");
    };
    const auto weight = std::find_if(settings.slot_weights.begin(), settings.slot_weights.end(), weighs);
    if (!books.counts(slot) && weight == settings.slot_weights.end()) continue;
    shares.push_back({used.contains(slot) ? used.at(slot) : 0, plain_capacity(books, slot),
                      weight == settings.slot_weights.end() ? kUnit : weight->second});
  }
  return fair_factor(normalised(shares, settings.lookback_days), row.weight);
}

inline bool plain_demoted(const GroupPolicy& policy, const PendingSpec& s) {
  return policy.order != Order::kBackfill && policy.head_of_line == HeadOfLine::kSkipAfterN &&
         policy.skip_after > 0 && s.retries >= policy.skip_after;
}

// The smaller comes first.
using PlainRank = std::tuple<PlainFraction, std::array<Factor, 3>>;  // drf; fair-share: 1 - factor
using PlainTurn = std::tuple<std::int64_t, bool, PlainRank, std::int64_t, std::int64_t, SessionId>;

inline PlainRank plain_rank(const PlainBooks& books, const PlainFactors& factors, const PendingSpec& s) {
  PlainRank rank;
  const auto behind = [&](ShareScope scope, const std::string& id) {
    return kOneFactor - (factors.contains({scope, id}) ? factors.at({scope, id}) : 0);
  };
  if (books.policy.order == Order::kDrf) std::get<0>(rank) = dominant_share_of(books, s.user);
  if (books.policy.order == Order::kFairShare)
    std::get<1>(rank) = {behind(ShareScope::kDomain, s.domain), behind(ShareScope::kProject, s.project),
                         behind(ShareScope::kUser, s.user)};
  return rank;
}

inline PlainTurn plain_turn(const GroupPolicy& policy, const PendingSpec& s, const PlainRank& rank = {}) {
  const std::int64_t sign = policy.order == Order::kLifo ? -1 : 1;
  const auto arrival = static_cast<std::int64_t>(s.arrival);
  return {-static_cast<std::int64_t>(s.priority),
          plain_demoted(policy, s),
          rank,
          sign * s.created,
          sign * arrival,
          s.id};
}

}  // namespace berth::placement::testing
