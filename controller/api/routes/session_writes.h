// Handlers of sessions that append a request.
#pragma once

#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {

void create_sessions(const Services& services, const CallPtr& call, const Reply& reply);
void delete_session(const Services& services, const CallPtr& call, const Reply& reply);

// {"session": as of the answer, "position"}; of one that left the state its id alone.
HttpReply session_changed(const Services& services, const Call& call, const SessionId& id,
                          const RequestAnswer& answer);

}  // namespace berth::controller::api
