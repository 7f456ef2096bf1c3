#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "events/schema/v1/common.pb.h"

namespace berth::projections {

// Where an event stands (P6): its record's epoch and sequence, and its index in the record. Totally ordered.
struct Position {
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
  std::uint32_t index = 0;

  auto operator<=>(const Position&) const = default;
  template <class V> void fields(V& v) {
    v(1, epoch);
    v(2, sequence);
    v(3, index);
  }
};

inline Position from_proto(const v1::Position& p) { return {p.epoch(), p.sequence(), p.index()}; }
inline void to_proto(const Position& p, v1::Position* out) {
  out->set_epoch(p.epoch);
  out->set_sequence(p.sequence);
  out->set_index(p.index);
}
// "2.17.0"
inline std::string to_string(const Position& p) {
  return std::to_string(p.epoch) + "." + std::to_string(p.sequence) + "." + std::to_string(p.index);
}

}  // namespace berth::projections
