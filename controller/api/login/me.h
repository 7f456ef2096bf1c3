// Who the caller is, as whoami and a login tell it.
#pragma once

#include <boost/json.hpp>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

boost::json::object me_json(const Services& services, const Call& call);

}  // namespace berth::controller::api
