// A past decision of the scheduler, worked out again: the leader's own pass (placement/pass/pass.h) over a
// model of the state that the pass saw, with its steps, held against what was recorded (ADR 0095).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "controller/answers/decision/decision_types.h"
#include "controller/answers/types.h"
#include "events/base/result.h"
#include "projections/fold/projection.h"

namespace berth::controller {

// The event of that index; without, the record's first that places a session. Code: no-decision.
Result<RecordedDecision> decision_in(const v1::Record& record, Offset offset,
                                     std::optional<std::uint32_t> index);

// `before`: after the record before the one in which the pass began. `began`: that record. Code:
// inputs-not-recorded, where something that the pass saw is in no log.
Result<PastDecision> replay_decision(const projections::Projection& before, const v1::Record& began,
                                     const RecordedDecision& recorded, const SeesSession& sees);

// The record in which the pass began. `decided`: the record that has the decision. `read`: a record that
// applied; nullopt: none is there. Codes: inputs-not-recorded, and those of `read`.
using RecordAt = std::function<Result<std::optional<v1::Record>>(Offset)>;
Result<PassRecord> find_pass(const RecordedDecision& recorded, const v1::Record& decided,
                             const RecordAt& read);

}  // namespace berth::controller
