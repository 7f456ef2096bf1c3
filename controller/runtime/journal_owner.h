// Whose journal is it? P2 makes another cluster's records void, one by one; a whole journal of another
// cluster is a wrong URL or a wrong data folder, and is said at the start instead.
#pragma once

#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/log/event_log.h"

namespace berth::controller {

// Looks at the oldest record that the journal still has. Waits some seconds at most; a log that cannot be
// read now is no finding. Codes: journal-of-another-cluster.
Result<void> check_journal_owner(EventLog& log, const Uuid& cluster);

}  // namespace berth::controller
