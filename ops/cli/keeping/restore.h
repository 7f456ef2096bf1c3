// Makes a cluster's log of a backup: the same records at the same offsets, and behind them an election and
// the event that the log was restored.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller/runtime/cluster_identity.h"
#include "ops/cli/keeping/backup_files.h"
#include "projections/fold/projection.h"

namespace berth::cli {

// The backup folded: what the restored cluster will be.
struct RestorePlan {
  std::unique_ptr<projections::Projection> projection;  // after the backup's last record, then after `more`
  std::vector<std::string> more;                        // records that the restore adds
  std::size_t browser_sessions = 0, links = 0;          // that it ends
  std::vector<v1::SealKeyAdded> seal_keys;              // of the whole log, also such as it destroyed later
  std::set<std::uint32_t> lost_seal_keys;               // that are gone for good, as who restores has said
};

// Reads the whole backup and checks it. Codes: those of BackupSource, cluster-secret-wrong, backup-differs
// (its records do not give the hashes of its manifest), and those of a journal that does not fold.
Result<RestorePlan> fold_backup(const BackupSource& source, const controller::ClusterIdentity& identity);

// Adds the election and the event. `into`: where to, for people.
Result<void> plan_restore(RestorePlan& plan, const BackupSource& source,
                          const controller::ClusterIdentity& identity, const std::string& into,
                          Timestamp now);

// Whether the log was never written to. Codes: restore-target-not-empty, and those of EventLog.
Result<void> check_empty(EventLog& log);
// Codes: restore-failed, disk-full, and those of BackupSource. `progress` gets the number of records written.
Result<void> write_restored(const BackupSource& source, const RestorePlan& plan, EventLog& log,
                            const std::function<void(Offset)>& progress);

}  // namespace berth::cli
