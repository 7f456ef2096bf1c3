// The kernel that a request of somebody's names, to act in it.
#pragma once

#include <string>

#include "controller/api/inside/stream_facts.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {

struct FoundKernel {
  StreamFacts facts;
  KernelPlace place;
};

// `kernel`: name or id. Codes: those of find_session(), denied, session-ended, session-terminating,
// unknown-kernel, session-not-running. A session that has left the state is unknown-session here.
Result<FoundKernel> find_kernel_to_act_in(const StateView& view, const Caller& caller,
                                          const std::string& session, const std::string& kernel,
                                          projections::Noun noun);

}  // namespace berth::controller::api
