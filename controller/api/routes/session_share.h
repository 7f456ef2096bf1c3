// PUT /v1/sessions/{session}/shares: its owner shares a session, or withdraws a share.
#pragma once

#include "controller/api/routes/call.h"

namespace berth::controller::api {

void share_session(const Services& services, const CallPtr& call, const Reply& reply);

}  // namespace berth::controller::api
