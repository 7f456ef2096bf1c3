// RowView: which rows one watcher is told, by its rights and its filter. Immutable.
#pragma once

#include <optional>
#include <vector>

#include "controller/api/live/watched_row.h"
#include "controller/api/map/session_json.h"
#include "controller/api/map/session_lookup.h"
#include "projections/rights.h"

namespace berth::controller::api {

struct WatchFilter {
  WatchedTables tables;
  SessionFilter sessions;
  std::string group;  // of agents; empty: of all groups
};

class RowView {
 public:
  RowView(projections::Actor actor, const Caller& caller, WatchFilter filter);

  // Adds what the watcher is told of the batch: at most one frame a row, none of rows in `told`. Adds the
  // keys of the batch's rows that concern it to `told`.
  void tell(const RowBatch& batch, std::set<RowKey>& told, std::vector<Frame>& frames) const;
  // The code of the change that ends the stream; nullptr: none does.
  Code ended_by(const RowBatch& batch) const;

 private:
  void tell_sessions(const RowBatch& batch, std::set<RowKey>& told, std::vector<Frame>& frames) const;
  void tell_session(const RowBatch& batch, const WatchedRow& row, std::set<RowKey>& told,
                    std::vector<Frame>& frames) const;
  // False where the row does not concern the watcher: an older batch may still take it from them.
  bool tell_other(const RowBatch& batch, const WatchedRow& row, std::vector<Frame>& frames) const;
  bool sees(WatchedTable table, const Audience& audience) const;
  bool sees_all_of(projections::Noun noun) const;
  Frame put(const RowBatch& batch, const WatchedRow& row) const;
  Frame put_agent(const WatchedRow& row) const;

  const projections::Actor actor_;
  const std::string access_key_;
  const std::string browser_session_;
  const WatchFilter filter_;
  SessionFilter whatever_state_;  // the filter without what changes about a session
  projections::Reach sessions_;
};

}  // namespace berth::controller::api
