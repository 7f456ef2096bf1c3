// Chain: what a reader has read of the journal, as hashes, to be compared with what others claim to have read
// (P12, P14).
//
// rolling(n) = BLAKE2b-256(rolling(n-1), offset, link) over every offset, void records and gaps included. The
// last kChainWindow values are kept, to check claims. The state hash is taken at every kChainEvery-th offset
// and nowhere else, so that all readers take it at the same offsets.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "events/base/hash.h"
#include "events/log/event_log.h"

namespace berth::projections {

inline constexpr std::size_t kChainWindow = 65'536;
inline constexpr Offset kChainEvery = 4'096;

// After reading the records [0, next).
struct ChainPoint {
  Offset next = 0;
  Hash256 rolling{};
  std::optional<Hash128> state_hash;  // at multiples of kChainEvery, where it is tracked
  std::uint64_t applied = 0;          // EpochRow::applied
};

// BLAKE2b-256 of the payload as it is; 32 zero bytes for a gap (P30).
Hash256 link_of(const LogEntry& entry);

class Chain {
 public:
  enum class Check : std::uint8_t { kRight, kWrong, kTooOld };

  Offset next() const { return last_.next; }
  const Hash256& rolling() const { return last_.rolling; }
  const ChainPoint& last() const { return last_; }

  // Takes the record at next() in; `applied`: it is not void.
  void extend(const Hash256& link, bool applied = true);
  void set_state_hash(const Hash128& hash) { last_.state_hash = hash; }

  // Whether this reader has read (offset, rolling). kTooOld: the offset lies before the window. An offset
  // ahead of this reader is kWrong.
  Check check(Offset offset, std::string_view rolling) const;
  // The first offset of the window.
  Offset oldest() const { return window_.empty() ? last_.next : window_.front().next; }
  // nullptr outside the window.
  const ChainPoint* at(Offset next) const;

  // Which of the records [from, to) are void, as a signed head lists them (P34). REQUIRES: both are points of
  // the window, and from <= to.
  std::string voids(Offset from, Offset to) const;

  // Takes the store's points, in offset order. Reading goes on at the last one.
  void restore(std::deque<ChainPoint> points);

 private:
  ChainPoint last_;
  std::deque<ChainPoint> window_;  // points before last_, oldest first, contiguous
};

}  // namespace berth::projections
