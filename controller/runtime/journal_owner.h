// Checks whose journal a log holds. P2 makes another cluster's records void, one by one; but a whole journal
// of another cluster is a wrong URL or data folder, and is an error at the start. So is one that another
// secret has signed: whatever were written to it would be void for all others.
#pragma once

#include <string_view>

#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/log/event_log.h"

namespace berth::controller {

// Reads the oldest record of the journal. Waits some seconds at most; a log that cannot be read now is no
// error. Codes: journal-of-another-cluster, cluster-secret-wrong.
Result<void> check_journal_owner(EventLog& log, const Uuid& cluster, std::string_view secret);

}  // namespace berth::controller
