// The kernel that a request of somebody's names, to act in it.
#pragma once

#include <optional>
#include <string>

#include "controller/api/inside/stream_facts.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {

struct FoundKernel {
  StreamFacts facts;
  KernelPlace place;
};

// Why nothing is asked of a session's kernels any more. Codes: session-ended, session-terminating.
std::optional<Error> why_not_now(const projections::SessionRow& session);
// Where a kernel that runs is found.
KernelPlace place_of(const projections::State& state, const projections::KernelRow& kernel);

// A session that has not ended, to act in it. Codes: those of find_session(), denied, session-ended,
// session-terminating. A session that has left the state is unknown-session here.
Result<const projections::SessionRow*> find_session_to_act_in(const StateView& view, const Caller& caller,
                                                              const std::string& session,
                                                              projections::Noun noun);
// `kernel`: name or id. Codes: those of find_session_to_act_in(), unknown-kernel, session-not-running.
Result<FoundKernel> find_kernel_to_act_in(const StateView& view, const Caller& caller,
                                          const std::string& session, const std::string& kernel,
                                          projections::Noun noun);

}  // namespace berth::controller::api
