// MemoryStore: a store for tests and the simulator.
//
// The object is the disk: it outlives a simulated crash of its process. A copy is the disk at that time: a
// test that loses a machine's last batches puts an older copy in its place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "projections/store/store.h"

namespace berth::projections {

class MemoryStore final : public Store {
 public:
  Result<void> write(const StoreBatch& batch) override;
  Result<void> checkpoint() override;
  Result<void> reset(Offset not_after) override;
  Result<std::optional<StoreMeta>> read_meta() override { return disk_.meta; }
  Result<void> read_rows(const std::function<bool(const LoadedRow&)>& row) override;
  Result<std::deque<ChainPoint>> read_chain() override;
  void keep_history_from(Timestamp time) override;
  Result<bool> prune() override { return false; }  // keep_history_from() has left nothing
  Result<std::optional<HistoryEntry>> find_history(const SessionId& id) const override;
  Result<HistoryPage> read_history(std::size_t limit, const std::string& token) const override;
  Result<std::optional<HistoryEntry>> find_history_by_name(const std::string& user,
                                                           const std::string& name) const override;
  Result<void> scan_views(std::string_view from, const OnRow& row) const override;
  Result<std::optional<std::string>> last_view_before(std::string_view key) const override;

  // The next `times` writes fail with this error and write nothing.
  void fail_writes(Error error, int times);
  // Changes one byte of a row on the disk. REQUIRES: there is a row.
  void damage_a_row();
  std::size_t writes() const { return writes_; }
  Timestamp kept_from() const { return keep_from_; }  // of history, as it was told last

 private:
  using RowKey = std::pair<std::uint8_t, std::string>;
  struct Disk {
    std::optional<StoreMeta> meta;
    std::map<RowKey, std::string> rows;
    std::map<Offset, ChainPoint> chain;
    std::map<std::string, std::string> history;  // by history_key
    std::map<SessionId, std::string> history_keys;
    std::map<std::string, std::string, std::less<>> views;
  };

  Disk disk_;
  Timestamp keep_from_ = 0;  // of history
  std::map<Offset, Disk> checkpoints_;
  Error failure_;
  int failures_left_ = 0;
  std::size_t writes_ = 0;
};

}  // namespace berth::projections
