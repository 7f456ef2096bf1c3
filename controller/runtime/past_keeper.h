// PastKeeper: what a controller keeps of the past, put together: the checkpoints, who writes them as the
// journal is followed, and the desk that rebuilds states.
#pragma once

#include <memory>
#include <string>

#include "controller/runtime/cell_node.h"
#include "projections/past/past_desk.h"
#include "projections/past/recorder.h"

namespace berth::controller {

class PastKeeper {
 public:
  // Where the checkpoints cannot be opened, states are folded from the journal's beginning, and a warning
  // says so. `store` outlives it.
  PastKeeper(const std::string& folder, const Uuid& cluster, projections::Store& store);
  ~PastKeeper() { stop(); }

  // For the node to write to, instead of the store.
  projections::Store& store();
  // Rebuilds from then on. `node`, which is not started yet, and `log` outlive the keeper's stop().
  projections::PastDesk& start(CellNode& node, EventLog& log, JournalTrust trust);
  // Before the node: questions end.
  void stop_desk();
  // After the node: what it wrote last becomes a checkpoint.
  void stop();

 private:
  const Uuid cluster_;
  projections::Store& inner_;
  std::unique_ptr<projections::CheckpointDb> checkpoints_;
  std::unique_ptr<projections::PastRecorder> recorder_;
  std::unique_ptr<projections::PastDesk> desk_;
};

}  // namespace berth::controller
