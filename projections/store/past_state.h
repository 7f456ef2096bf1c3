// PastState: the state of a cell as it was after some record, rebuilt. Immutable, so that several threads may
// read it.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "projections/fold/projection.h"

namespace berth::projections {

// A moment as somebody asks for it: a position in the journal, or a time, which means the last record that is
// not after it.
struct PastMoment {
  std::optional<Offset> position;
  Timestamp time = 0;  // without a position
};

// A record of the journal and its time.
struct PastPoint {
  Offset position = 0;
  Timestamp time = 0;
};

// The moments that can be asked for.
struct PastBounds {
  PastPoint first;
  PastPoint last;
};

struct PastState {
  PastPoint point;
  std::shared_ptr<const Projection> projection;  // without the rows of requests
  std::size_t bytes = 0;                         // of memory, about
  const State& state() const { return projection->state(); }
};

using PastPtr = std::shared_ptr<const PastState>;
using PastDone = std::function<void(Result<PastPtr>)>;

}  // namespace berth::projections
