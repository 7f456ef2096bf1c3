// What a resource group that selects by fragmentation learned last: the event itself in canonical form, and
// its time.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/clock.h"
#include "events/schema/v1/event.pb.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {

struct LearnedRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 22;

  v1::SelectionLearned learned;
  Timestamp at = 0;  // header time

  Key key() const { return learned.group(); }
  template <class V> void fields(V& v) {
    if constexpr (requires { v.fail(); }) {  // decoding
      std::string bytes;
      v(1, bytes);
      if (!learned.ParseFromString(bytes)) v.fail();
    } else {
      v(1, canonical_bytes(learned));
    }
    v(2, at);
  }
};

}  // namespace berth::projections
