// PastCheckpoint: what is kept of the state at one point of the journal, so that a state near it is rebuilt
// without a fold from the beginning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/log/event_log.h"
#include "projections/tables/request_table.h"

namespace berth::projections {

struct PastCheckpoint {
  Offset next = 0;  // the state after the records [0, next)
  Offset from = 0;  // of a base: `next`. Else its rows are those that changed since the checkpoint there
  bool base = false;
  Timestamp time = 0;        // of the newest record
  std::uint64_t events = 0;  // from the first checkpoint to this one, about
  Hash256 rolling{};         // of the journal up to here
  std::uint64_t bytes = 0;   // of its rows
};

// Rows by table and key, as bytes; none: the row is gone.
using PastRows = std::map<std::string, std::optional<std::string>>;

inline std::string past_row_key(std::uint8_t table, std::string_view key) {
  std::string out(1, static_cast<char>(table));
  out += key;
  return out;
}

// Answers to requests say nothing about the past that its events do not, and are most of the rows.
inline bool is_kept_in_past(std::uint8_t table) { return table != RequestRow::kTable; }

// How far apart checkpoints are, in events, by how old they are. The first gap is an upper bound: what is
// read in one batch lies between two checkpoints.
inline constexpr std::uint64_t kPastGapNew = 25'000;
inline constexpr std::uint64_t kPastNewEvents = 1'000'000;
inline constexpr std::uint64_t kPastGapOld = 250'000;
inline constexpr std::uint64_t kPastOldEvents = 10'000'000;
inline constexpr std::uint64_t kPastGapOldest = 2'500'000;

inline std::uint64_t past_gap(std::uint64_t age) {
  if (age <= kPastNewEvents) return 0;
  return age <= kPastOldEvents ? kPastGapOld : kPastGapOldest;
}

}  // namespace berth::projections
