// GET /v1/sessions: live sessions in order of arrival, then ended ones, newest first, as far back as history
// goes.
#pragma once

#include "controller/api/routes/call.h"

namespace berth::controller::api {

void list_sessions(const Services& services, const CallPtr& call, const Reply& reply);

}  // namespace berth::controller::api
