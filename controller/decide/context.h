// DecisionContext: what a decision is given. Nothing in it can be changed by a handler.
#pragma once

#include <functional>

#include "controller/decide/decision.h"
#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/name.h"
#include "events/base/refusal.h"
#include "events/schema/v1/report.pb.h"
#include "events/schema/v1/request.pb.h"
#include "projections/tables/state.h"

namespace berth::controller {

// Is an id in use by a session that left the state? Answered by the holder of the store (P13).
using InHistory = std::function<bool(const SessionId&)>;

struct DecisionContext {
  const projections::State& state;
  projections::Position position;  // of the record being written; a decision made again has another one
  Timestamp now = 0;               // its header time
  const InHistory& in_history;
  Stamp stamp = {};
};

}  // namespace berth::controller
