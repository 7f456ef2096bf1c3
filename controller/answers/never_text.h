// What no agent of a group could ever hold, in words: which slot, the most that there is, and where. Pure.
#pragma once

#include "controller/answers/cause_text.h"

namespace berth::controller {

// Of a session of this spec that is `never` with `slot` (empty: no slot is to blame).
CauseText never_text(const projections::State& state, const v1::SessionSpec& spec, const std::string& slot);

// The same as one line for whoever asks for such a session.
std::string never_warning(const projections::State& state, const v1::SessionSpec& spec,
                          const std::string& slot);

}  // namespace berth::controller
