// Sessions that left the state for history: found by id or name, if the caller may see them. Blocking.
#pragma once

#include <optional>
#include <string>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

// The session of that id; else the caller's newest of that name; else, for a caller who sees all, anybody's.
// A name is looked for among the newest 2,000. `not_found` is the error where there is none.
Result<projections::HistoryEntry> find_past(const Services& services, const Caller& caller,
                                            const std::string& id_or_name, const Error& not_found);

}  // namespace berth::controller::api
