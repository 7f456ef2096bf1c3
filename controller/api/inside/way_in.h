// The way of a request into a kernel, as all routes that act in kernels go it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "controller/api/inside/find_kernel.h"
#include "controller/api/inside/stream_relay.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {

// Finds the kernel, and goes on; else replies why not. One that ended long ago is told apart from none.
void with_kernel(const Services& services, const CallPtr& call, const Reply& reply, projections::Noun noun,
                 const std::string& kernel, const std::function<void(const FoundKernel&)>& go_on);
// The reply to a call that did not find a session to act in.
void refuse_entry(const Services& services, const CallPtr& call, const Reply& reply, const Error& error);

// Whether the call may not become a stream; then it was replied to with the reason. `reads`: the stream may
// change nothing, so a key pair that reads may open it.
bool refuses_stream(const Services& services, const CallPtr& call, const Reply& reply, bool reads);
// The stream goes on from here, if there is room for it.
void begin_stream(const Services& services, const CallPtr& call, const Reply& reply,
                  std::shared_ptr<StreamRelay> relay, const StreamFacts& facts);

}  // namespace berth::controller::api
