// For each reason why a session waits: a sentence with its numbers, and what lifts it. Pure.
#pragma once

#include <string>

#include "controller/answers/types.h"
#include "projections/tables/state.h"

namespace berth::controller {

struct CauseText {
  std::string text;
  std::string hint;  // what lifts the cause
};

// Of a session that waits, for `e.code`; the amounts stand in `e` already. A code that this build does not
// know stands for itself.
CauseText cause_text(const projections::State& state, const projections::SessionRow& session,
                     const Explanation& e, Timestamp now);

// An amount of the slot as people write it: "0.5", "1g".
std::string amount_text(const projections::State& state, const std::string& slot, Amount amount);

// "2h5m": the two largest units, never negative.
std::string span_text(Duration span);

}  // namespace berth::controller
