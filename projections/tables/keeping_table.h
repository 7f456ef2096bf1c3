// How the cluster is kept: how long history lives, from which backup the log goes on, and which keys seal
// secrets.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/clock.h"
#include "events/schema/v1/common.pb.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {

// At most one row.
// More attempts than the lost part of a log can have made of one session: an agent that still has a kernel of
// the lost part never takes a new start for it.
inline constexpr std::uint32_t kAttemptsOfARestore = 1'000'000;

struct KeepingRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 36;

  std::int64_t history_keep_ms = 0;  // 0: for ever
  // What ended before is gone from history, and states before are not told; 0: everything is.
  Timestamp pruned_before = 0;
  std::string restored_from;  // the newest backup that the log went on from, 32 hex digits; empty: none
  Timestamp restored_taken = 0;
  Timestamp restored_at = 0;
  // Each restore lifts it by kAttemptsOfARestore; attempts of sessions placed from here on are greater (P35).
  std::uint32_t attempt_base = 0;
  std::string backup;  // the newest that was taken of this log, 32 hex digits; empty: none
  Timestamp backup_taken = 0;

  Key key() const { return "keeping"; }
  template <class V> void fields(V& v) {
    v(1, history_keep_ms);
    v(2, pruned_before);
    v(3, restored_from);
    v(4, restored_taken);
    v(5, restored_at);
    v(6, attempt_base);
    v(7, backup);
    v(8, backup_taken);
  }
};

// A key of the ring that the log brought, or one of before that it destroyed.
struct SealKeyRow {
  using Key = std::string;  // the number with leading zeros, so that keys are in order
  static constexpr std::uint8_t kTable = 37;

  std::uint32_t number = 0;
  v1::Sealed key_box;  // sealed with the key before it; empty of one that is destroyed
  Timestamp added_at = 0;
  bool destroyed = false;

  static Key make_key(std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return std::string(10 - digits.size(), '0') + digits;
  }
  Key key() const { return make_key(number); }
  template <class V> void fields(V& v) {
    v(1, number);
    if constexpr (requires { v.fail(); }) {  // decoding
      std::string bytes;
      v(2, bytes);
      if (!key_box.ParseFromString(bytes)) v.fail();
    } else {
      v(2, canonical_bytes(key_box));
    }
    v(3, added_at);
    v(4, destroyed);
  }
};

// A server that seals secrets, as it said last. A server says so anew each day.
struct SealerRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 38;

  std::string server;
  std::uint32_t number = 0;  // of the key with which it seals
  Timestamp said_at = 0;

  Key key() const { return server; }
  template <class V> void fields(V& v) {
    v(1, server);
    v(2, number);
    v(3, said_at);
  }
};

// A server that has said nothing for so long is gone: it holds up nothing, and the next one to say something
// takes its row away.
inline constexpr Duration kSealerHeard = 25 * kHour;

}  // namespace berth::projections
