// DecisionContext: what a decision is given. Nothing in it can be changed by a handler.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controller/decide/decision.h"
#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/name.h"
#include "events/base/refusal.h"
#include "events/schema/v1/report.pb.h"
#include "events/schema/v1/request.pb.h"
#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::controller {

// As much of a session that left the state as decisions ask for.
struct PastSession {
  std::string user;
  std::string name;
  v1::SessionType type = v1::SESSION_TYPE_UNSPECIFIED;
  projections::SessionResult result = projections::SessionResult::kNone;
};

// The session of that id that left the state, if there was one. Answered by the holder of the store (P13).
using InHistory = std::function<std::optional<PastSession>(const SessionId&)>;

struct DecisionContext {
  const projections::State& state;
  projections::Position position;  // of the open record; another one when a decision is made again
  Timestamp now = 0;               // the header time of that record
  const InHistory& in_history;
  Stamp stamp = {};
  // Who asks, by whose rights the request is decided. Of a producer: its owner. Nothing: the
  // controller itself or an agent.
  std::optional<projections::Actor> actor = std::nullopt;
};

}  // namespace berth::controller
