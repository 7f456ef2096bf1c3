// Whether the cluster that a backup was taken of still answers: two of one cluster would each believe to be
// it.
#pragma once

#include <string>
#include <vector>

#include "controller/runtime/cluster_identity.h"
#include "ops/cli/keeping/backup_format.h"
#include "ops/cli/shell.h"

namespace berth::cli {

// Asks the manifest's endpoint and `more` by what only that cluster's servers know; looks at the lock of a
// log on this machine. Failures: original-answers, usage (an address of `more` is none). Who does not answer,
// or is another cluster, is told by a note.
Outcome<bool> check_original(Shell& shell, const Manifest& manifest,
                             const controller::ClusterIdentity& identity,
                             const std::vector<std::string>& more);

}  // namespace berth::cli
