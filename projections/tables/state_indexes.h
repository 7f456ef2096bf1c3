// StateIndexes: what is derived from the rows of a State, so that a question costs no walk over a table.
//
// Each on_row() brings the indexes from one row to the next, forwards and on undo. Nothing here is stored, is
// in an event or counts in the state hash. A copy is a snapshot.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "projections/tables/agent_table.h"
#include "projections/tables/folder_table.h"
#include "projections/tables/group_slots.h"
#include "projections/tables/kernel_table.h"
#include "projections/tables/occupancy.h"
#include "projections/tables/request_table.h"
#include "projections/tables/session_table.h"
#include "projections/tables/time_queue.h"
#include "projections/tables/timer.h"
#include "projections/tables/use/usage_book.h"
#include "projections/tables/use/use_log.h"

namespace berth::projections {

struct StateIndexes {
  void on_row(const SessionRow* before, const SessionRow* after);
  void on_row(const KernelRow* before, const KernelRow* after);
  void on_row(const AgentRow* before, const AgentRow* after);
  void on_row(const RequestRow* before, const RequestRow* after);
  void on_row(const JoinRow* before, const JoinRow* after);
  void on_row(const FolderRow* before, const FolderRow* after);

  static std::string owner_key(const v1::Owner& owner);
  static std::string live_name_key(const std::string& user, const std::string& name);

  Occupancy occupancy;
  UsageBook usage;
  UseLog use_log;
  std::unordered_map<std::string, GroupSlots> group_slots;
  Timers timers;
  TimeQueue<SessionId> ended;
  TimeQueue<std::string> answered;
  TimeQueue<std::string> joined;
  std::set<std::pair<Position, SessionId>> pending;  // in arrival order
  std::set<SessionId> reserved;
  std::unordered_map<std::string, SessionId> live_names;
  std::unordered_map<SessionId, std::set<SessionId>, UuidHash> dependents;
  std::unordered_map<std::string, std::set<KernelId>> kernels_on;  // by agent
  TimeQueue<FolderId> trashed;
  std::unordered_map<std::string, std::set<FolderId>> folders_of;  // by owner_key()
  std::unordered_map<std::string, FolderId> folder_names;          // by owner_key() and name
  std::unordered_map<VolumeId, std::set<FolderId>, UuidHash> folders_to_do;
  std::unordered_map<FolderId, std::set<SessionId>, UuidHash> mounted_by;

 private:
  void follow_mounts(const SessionRow& session, bool add);
  void follow_timers(const SessionRow* before, const SessionRow* after);
  void follow_dependents(const SessionRow& session, bool add);
};

}  // namespace berth::projections
