// SessionTexts: the JSON of sessions as lists show them, kept until the session or one of its kernels
// changes: a list that is asked for again costs a copy. What waits is written anew each time, for its place
// in the queue moves without a change of its row; so are what shows less to this reader than to others, what
// mounts folders, whose names change without it, and what is shared.
//
// on_row() and forget() are called under the exclusive lock of the state, write() under the shared one.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller/api/map/session_json.h"

namespace berth::controller::api {

class SessionTexts {
 public:
  // At most so many texts of about 1.5 kB are kept.
  explicit SessionTexts(std::size_t most = 10'000) : most_(most) {}

  void on_row(const projections::SessionRow& row) { texts_.erase(row.id); }
  void on_row(const projections::KernelRow& row) { texts_.erase(row.session); }
  void on_row(const projections::AgentRow* before, const projections::AgentRow* after) {
    if (projections::is_shown_otherwise(before, after)) texts_.clear();
  }
  // Every text may be another one: the state was replaced, or a slot's unit.
  void forget() { texts_.clear(); }

  // Several sessions as the next values, as this actor sees them, with one walk over the queue for all.
  void write(JsonText& out, const projections::State& state, const SlotKinds& kinds,
             const std::vector<const projections::SessionRow*>& sessions, const projections::Actor& actor);

 private:
  const std::size_t most_;
  std::mutex writing_;  // of lists that are written at the same time
  std::unordered_map<SessionId, std::string, UuidHash> texts_;
};

}  // namespace berth::controller::api
