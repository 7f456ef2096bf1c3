// Rooms: the agents of a cell with nobody on them. Says of sessions, when they are asked for, that no agent
// could ever hold one.
//
// Built at the first question; it follows agents, groups and slot types alone, so that a question costs no
// look at sessions, and equal requests are judged once until one of those changes. Not thread-safe.
#pragma once

#include <map>
#include <string>

#include "controller/feed/cluster_feed.h"

namespace berth::controller {

class Rooms {
 public:
  // One line for people; empty if the empty group could hold such a session. `state` is the one whose changes
  // are told.
  std::string warning(const projections::State& state, const v1::SessionSpec& spec);
  // The state was replaced by another.
  void forget();

  void on_row(const projections::AgentRow* before, const projections::AgentRow* after) {
    follow(before, after);
  }
  void on_row(const projections::GroupRow* before, const projections::GroupRow* after) {
    follow(before, after);
  }
  void on_row(const projections::SlotTypeRow* before, const projections::SlotTypeRow* after) {
    follow(before, after);
  }

 private:
  template <class Row> void follow(const Row* before, const Row* after) {
    if (built_) feed_.on_row(before, after);
    known_.clear();
  }
  template <class Table> void take_in(const Table& table) {
    for (const auto& key : table.sorted_keys()) feed_.on_row(nullptr, table.find(key));
  }
  std::string judge(const projections::State& state, const v1::SessionSpec& spec);

  ClusterFeed feed_;
  std::map<std::string, std::string> known_;  // warnings by what decides where a session fits
  bool built_ = false;
};

}  // namespace berth::controller
