// SessionWatch: is told what becomes of sessions as the node folds it: for lines of the log, and for spans.
#pragma once

#include "events/schema/v1/record.pb.h"
#include "projections/tables/state.h"

namespace berth::controller {

// On the projector thread, on_session() under the state's exclusive lock: both must be quick, and wait for
// nothing. A record that turns out void was told of all the same; who watches tells people, and decides
// nothing.
class SessionWatch {
 public:
  virtual ~SessionWatch() = default;
  // The row changed, in a state that has the session's kernels as they are now. nullptr: there is no row.
  virtual void on_session(const projections::State& state, const projections::SessionRow* before,
                          const projections::SessionRow* after) = 0;
  // A record that was applied.
  virtual void on_record(const v1::Record& record) = 0;
};

}  // namespace berth::controller
