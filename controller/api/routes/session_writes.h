// Handlers of sessions that do more than read the state.
#pragma once

#include "controller/api/routes/call.h"

namespace berth::controller::api {

void create_sessions(const Services& services, const CallPtr& call, const Reply& reply);
void delete_session(const Services& services, const CallPtr& call, const Reply& reply);
void session_logs(const Services& services, const CallPtr& call, const Reply& reply);

}  // namespace berth::controller::api
