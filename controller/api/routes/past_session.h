// Sessions that left the state for history: found by id or name, if the caller may see them. Blocking.
#pragma once

#include <string>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

// The session of that id; else the caller's newest of that name; else anybody's newest, if the caller may see
// it. `not_found` is the error where there is none.
Result<projections::HistoryEntry> find_past(const Services& services, const Caller& caller,
                                            const std::string& id_or_name, const Error& not_found);

// Replaces the names in a request's depends_on by ids: the caller's live session of that name, else the
// newest that ended. A name of none stays as it is, for the decision to refuse. Returns which session was
// taken for each. May block. Codes: those of Store::find_history.
Result<boost::json::array> resolve_dependencies(const Services& services, const Caller& caller,
                                                v1::RequestSession& request);

}  // namespace berth::controller::api
