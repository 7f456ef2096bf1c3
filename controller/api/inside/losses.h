// The handler that tells what ends with a session, for whoever is about to end it.
#pragma once

#include "controller/api/routes/call.h"

namespace berth::controller::api {

// Asks the helpers of all kernels that run, at once.
void answer_losses(const Services& services, const CallPtr& call, const Reply& reply);

}  // namespace berth::controller::api
