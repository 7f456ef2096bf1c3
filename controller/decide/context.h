// DecisionContext: what a decision is given, and the only way it has to answer: events.
//
// A handler reads the state and emits events; each is folded at once, so that the next line sees its effect.
// Handlers check everything before the first emit(): a refusal after it would leave half a decision.
#pragma once

#include <functional>
#include <string>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/name.h"
#include "events/base/refusal.h"
#include "events/schema/v1/event.pb.h"
#include "events/schema/v1/report.pb.h"
#include "events/schema/v1/request.pb.h"
#include "projections/tables/state.h"

namespace berth::controller {

// Is an id in use by a session that left the state? Answered by whoever has the store (P13).
using InHistory = std::function<bool(const SessionId&)>;

struct DecisionContext {
  const projections::State& state;
  projections::Position position;  // of the record being written
  Timestamp now = 0;               // its header time
  const InHistory& in_history;
  std::function<void(v1::Event)> emit;

  // Stamped on every event of this decision.
  std::string actor;
  std::string request_id;  // 16 bytes, or empty
  std::string trace;

  // The event, stamped.
  v1::Event event() const {
    v1::Event e;
    e.set_actor(actor);
    e.set_request_id(request_id);
    if (!trace.empty()) e.set_trace(trace);
    return e;
  }
};

}  // namespace berth::controller
