// Handlers of sessions that append a request.
#pragma once

#include "controller/api/routes/call.h"

namespace berth::controller::api {

void create_sessions(const Services& services, const CallPtr& call, const Reply& reply);
void delete_session(const Services& services, const CallPtr& call, const Reply& reply);

}  // namespace berth::controller::api
