// Checks whose journal a log holds, and that this server has its keys. P2 makes another cluster's records
// void, one by one; but a whole journal of another cluster is a wrong URL or data folder, and is an error at
// the start. So is one that another secret has signed: whatever were written to it would be void for all
// others.
#pragma once

#include <string_view>

#include "controller/api/api_context.h"
#include "controller/runtime/cluster_identity.h"
#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/log/event_log.h"

namespace berth::controller {

// Reads the oldest record of the journal. Waits some seconds at most; a log that cannot be read now is no
// error. Codes: journal-of-another-cluster, cluster-secret-wrong.
Result<void> check_journal_owner(EventLog& log, const Uuid& cluster, std::string_view secret);

// The identity in the file; a new one, and its file, if there is none and the journal was never written to.
// Codes: those of read_cluster_identity() (cluster-file-missing where the journal has records),
// cluster-file-unwritable, and those of EventLog::extent().
Result<ClusterIdentity> identity_for_log(const std::string& path, EventLog& log);

// Whether the secrets of the state's key pairs open with the sealing keys of this server's cluster.json
// (P29). Where most do, the others are dead and are told in the log: one secret stops nobody. An environment
// that does not open says nothing: who asked for the session may have sent it so. Code: sealing-keys-wrong.
Result<void> check_sealing_keys(ApiContext& api);

}  // namespace berth::controller
