// Requests that were answered in the last 24 h of header time, by (actor, id), so that a request sent again
// gets its first answer (P13).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/uuid.h"
#include "projections/tables/position.h"

namespace berth::projections {

inline constexpr Duration kRequestKeptFor = 24 * kHour;

enum class AnswerKind : std::uint8_t { kAccepted = 0, kRefused = 1, kExpired = 2 };

struct RequestRow {
  using Key = std::string;  // actor, NUL, 16 bytes of id
  static constexpr std::uint8_t kTable = 5;

  std::string actor;
  Uuid id;
  Hash128 body_hash{};  // of the request's bytes as received, or its keyed hash
  AnswerKind answer = AnswerKind::kAccepted;
  Position position;  // the event that answered it first
  Timestamp answered_at = 0;
  std::vector<SessionId> sessions;  // that it created or ended
  Code code;                        // of a refusal
  std::string message;
  std::string hint;
  bool keyed = false;               // body_hash is the request's keyed hash (P29)
  std::vector<SessionId> selected;  // to be ended by requests that name this one (TerminationBegun)

  static Key make_key(const std::string& actor, const Uuid& id) {
    return actor + '\0' + std::string(id.view());
  }
  Key key() const { return make_key(actor, id); }
  template <class V> void fields(V& v) {
    v(1, actor);
    v(2, id);
    v(3, body_hash);
    v(4, answer);
    v(5, position);
    v(6, answered_at);
    v(7, sessions);
    v(8, code);
    v(9, message);
    v(10, hint);
    v(11, keyed);
    v(12, selected);
  }
};

}  // namespace berth::projections
