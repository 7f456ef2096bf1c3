// The log's own state: the leader, the next record, the next inputs, and inputs in quarantine.
#pragma once

#include <string>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/uuid.h"
#include "projections/tables/position.h"

namespace berth::projections {

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
  Position routed;            // every order up to here is acknowledged by the log (P21)

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
  }
};

// Next offset of an input partition.
struct InputRow {
  using Key = std::string;  // "requests/0"
  static constexpr std::uint8_t kTable = 14;

  std::string partition;
  std::uint64_t next = 0;
  std::uint32_t last_crc = 0;  // of the input at next - 1

  Key key() const { return partition; }
  template <class V> void fields(V& v) {
    v(1, partition);
    v(2, next);
    v(3, last_crc);
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
