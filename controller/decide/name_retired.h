// The refusal of a name that was removed: whoever got the name next would inherit the rights and limits that
// were meant for the first.
#pragma once

#include <optional>
#include <string>

#include "events/base/refusal.h"
#include "events/base/text.h"
#include "events/codec/words/enum_words.h"
#include "projections/tables/state.h"

namespace berth::controller {

inline std::optional<Refusal> check_not_retired(const projections::State& state, v1::DefinitionKind kind,
                                                const std::string& name) {
  if (!state.is_retired(kind, name)) return std::nullopt;
  return Refusal{"name-retired",
                 word(kind) + " '" + clipped(name) + "' was removed, and its name is never given again",
                 "choose another name"};
}

}  // namespace berth::controller
