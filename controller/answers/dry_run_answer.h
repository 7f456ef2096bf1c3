// What would become of a request for sessions, as the API ships it: DryRun's findings by name, and why the
// first session that does not start would wait.
#pragma once

#include "controller/answers/why.h"
#include "controller/decide/decide.h"

namespace berth::controller {

// Nothing is decided, and afterwards the cluster is as before. `in_history` as for the real decision.
// REQUIRES: a request for sessions.
DryRunAnswer answer_dry_run(const AnswerContext& context, const v1::Request& request,
                            const InHistory& in_history);

}  // namespace berth::controller
