// FolderOrders: what is to be done on the agent's volumes, one folder after the other, and what became of it.
// Pure; one owner.
//
// The newest order of a folder counts. One that was carried out twice changed nothing the second time, and a
// fact that is told twice neither; so a snapshot simply says again what is still to be done.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/schema/v1/order.pb.h"
#include "events/schema/v1/report.pb.h"

namespace berth::agents {

// Makes the folder, or removes it with all that it holds.
struct FolderWork {
  VolumeId volume;
  FolderId folder;
  bool purge = false;
  auto operator<=>(const FolderWork&) const = default;
};

class FolderOrders {
 public:
  // False: its ids are malformed, and it is left out.
  bool add(const v1::FolderOrder& order);
  // What waits is no longer wanted, unless it is added again.
  void clear_waiting() { waiting_.clear(); }
  // The next to carry out; none while one is being carried out, or nothing waits.
  std::optional<FolderWork> next();
  // REQUIRES: next() gave it, and done() was not called since.
  void done(const Result<void>& result);

  bool has_facts() const { return !facts_.empty(); }
  // Moves at most `max` facts into the report, oldest first.
  void take_facts(std::size_t max, v1::Report& report);

 private:
  std::map<FolderId, FolderWork> waiting_;
  std::optional<FolderWork> current_;
  std::deque<v1::FolderFact> facts_;
};

}  // namespace berth::agents
