// The log's own state: the leader, the next record, the next inputs, and inputs in quarantine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/uuid.h"
#include "events/schema/v1/common.pb.h"
#include "projections/tables/position.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {

// Whether the leader's wall clock is behind header time, and an operator has seen that.
enum class ClockBehind : std::uint8_t { kNot, kToConfirm, kConfirmed };

// One row. A record applies only if it continues it exactly (P5).
struct EpochRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 13;

  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;  // of the last applied record
  Hash256 link{};              // of the last applied record, as received
  bool dead = false;  // the second net refused a record of this epoch: every record after it is void (P7)
  std::string controller;
  Uuid nonce;
  std::uint32_t rules = 0;
  Timestamp time = 0;         // header time of the last applied record
  bool clock_jumped = false;  // no deadline fires (P16)
  ClockBehind clock_behind = ClockBehind::kNot;
  Position routed;            // every order up to here is acknowledged by the log (P21)
  std::uint64_t applied = 0;  // records since the log's beginning

  Key key() const { return "epoch"; }
  template <class V> void fields(V& v) {
    v(1, epoch);
    v(2, sequence);
    v(3, link);
    v(4, dead);
    v(5, controller);
    v(6, nonce);
    v(7, rules);
    v(8, time);
    v(9, clock_jumped);
    v(10, routed);
    v(11, applied);
    v(12, clock_behind);
  }
};

// The key that signs chain heads, and the newest head that was signed. At most one row:
// there is none until a controller that can open it has made the first key.
struct HeadRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 32;

  Uuid cluster;            // which every signature names
  std::string public_key;  // 32 bytes
  v1::Sealed secret_key;   // its seed, of controllers
  Position changed;        // where it became the key
  // The newest signed head; none as long as `signature` is empty.
  std::string head_key;      // which signed it
  std::uint64_t from = 0;    // the claim's offset of the signed head before
  std::uint64_t offset = 0;  // its claim's
  std::uint64_t applied = 0;
  std::string rolling;     // 32 bytes
  std::string state_hash;  // 16 bytes
  std::string voids;       // ChainHeadRecorded::voids
  std::string signature;   // 64 bytes
  Position recorded;
  Timestamp recorded_at = 0;

  Key key() const { return "head"; }
  template <class V> void fields(V& v) {
    v(1, cluster);
    v(2, public_key);
    if constexpr (requires { v.fail(); }) {  // decoding
      std::string bytes;
      v(3, bytes);
      if (!secret_key.ParseFromString(bytes)) v.fail();
    } else {
      v(3, canonical_bytes(secret_key));
    }
    v(4, changed);
    v(5, head_key);
    v(6, from);
    v(7, offset);
    v(8, applied);
    v(9, rolling);
    v(10, state_hash);
    v(11, signature);
    v(12, recorded);
    v(13, recorded_at);
    v(14, voids);
  }
};

// Where the reading of an input partition stood at some time. A stream that lost its end is read again from
// the newest mark below which it is still the same (P13).
struct InputMark {
  Timestamp at = 0;  // header time, ns
  std::uint64_t next = 0;
  std::uint32_t last_crc = 0;
  bool operator==(const InputMark&) const = default;
  template <class V> void fields(V& v) {
    v(1, at);
    v(2, next);
    v(3, last_crc);
  }
};

// Part of the rules: changing one of these raises kRules.
inline constexpr Duration kInputMarkEvery = 3 * kHour;
inline constexpr std::size_t kInputMarksMax = 8;

// Next offset of an input partition.
struct InputRow {
  using Key = std::string;  // "requests/0"
  static constexpr std::uint8_t kTable = 14;

  std::string partition;
  std::uint64_t next = 0;
  std::uint32_t last_crc = 0;    // of the input at next - 1; 0: not known
  std::vector<InputMark> marks;  // oldest first, at most kInputMarksMax

  Key key() const { return partition; }
  // What is taken up to `to` from now on; where it is time, that is a mark.
  void take(std::uint64_t to, std::uint32_t crc, Timestamp now) {
    next = to;
    last_crc = crc;
    if (!marks.empty() && now < marks.back().at + kInputMarkEvery) return;
    marks.push_back({now, to, crc});
    if (marks.size() > kInputMarksMax) marks.erase(marks.begin());
  }
  // Reading goes on at `to` once more, or at the stream's new beginning.
  void rewind(std::uint64_t to) {
    std::erase_if(marks, [&](const InputMark& mark) { return mark.next > to; });
    next = to;
    last_crc = !marks.empty() && marks.back().next == to ? marks.back().last_crc : 0;
  }
  template <class V> void fields(V& v) {
    v(1, partition);
    v(2, next);
    v(3, last_crc);
    v(4, marks);
  }
};

// An input or a subject whose decision the second net refused (P7).
struct QuarantineRow {
  using Key = std::string;  // "requests/0@17" or "session:<id>"
  static constexpr std::uint8_t kTable = 15;

  std::string what;
  std::uint32_t failures = 0;
  bool answered = false;  // InternalErrorRecorded

  Key key() const { return what; }
  template <class V> void fields(V& v) {
    v(1, what);
    v(2, failures);
    v(3, answered);
  }
};

}  // namespace berth::projections
