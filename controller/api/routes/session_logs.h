// The handler that reads a kernel's log.
#pragma once

#include "controller/api/routes/call.h"

namespace berth::controller::api {

void session_logs(const Services& services, const CallPtr& call, const Reply& reply);

}  // namespace berth::controller::api
