// at=: the moment of the past that a question is about. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controller/api/map/query.h"
#include "controller/api/routes/call.h"
#include "projections/store/past_state.h"

namespace berth::controller::api {

// "1234", or "1234-0" as events are named: after that record. Or RFC 3339 with its zone. Code:
// invalid-moment.
Result<projections::PastMoment> parse_moment(std::string_view text);

// "1234-0 2026-01-31T18:00:00Z".
std::string moment_text(const projections::PastPoint& point);
boost::json::object point_to_json(const projections::PastPoint& point);

// Takes at= out of the call's parameters, and the moment that a page token has. A problem: the route has no
// past, or the caller may not see it.
std::optional<Problem> take_moment(const Services& services, Call& call);

}  // namespace berth::controller::api
