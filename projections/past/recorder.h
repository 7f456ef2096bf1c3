// PastRecorder: a Store that writes checkpoints of the past as the journal is followed.
//
// It stands between the projector and its store. The rows that change are encoded for the store anyway; here
// they are kept until enough has happened, and a thread of its own writes them (checkpoint_db.h). Where the
// checkpoints do not end at the store's point, as after a crash, the rows that the projector loads become a
// base. The store alone decides what is durable: the past is never ahead of it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "projections/past/checkpoint_db.h"

namespace berth::projections {

class PastRecorder final : public Store {
 public:
  struct Options {
    std::uint64_t cut_events = kPastGapNew / 2;  // a checkpoint each so many events
    std::size_t waiting_max = 4;                 // checkpoints that the disk has not taken yet
    std::size_t pending_bytes_max = 256u << 20;  // more: the past is not kept from there on
    std::function<void(const Error&)> on_warning = {};
  };
  // `inner` and `db` outlive it.
  PastRecorder(Store& inner, CheckpointDb& db, Options options);
  ~PastRecorder() override { stop(); }

  // Writes what is there, as the last checkpoint. After the projector's last write.
  void stop();
  // Waits until all that was cut is written; for tests and measurements.
  void drain();

  Result<void> write(const StoreBatch& batch) override;
  Result<void> checkpoint() override { return inner_.checkpoint(); }
  Result<void> reset(Offset not_after) override;
  Result<std::optional<StoreMeta>> read_meta() override;
  Result<void> read_rows(const std::function<bool(const LoadedRow&)>& row) override;
  Result<std::deque<ChainPoint>> read_chain() override { return inner_.read_chain(); }
  void keep_history_from(Timestamp time) override { inner_.keep_history_from(time); }
  Result<bool> prune() override { return inner_.prune(); }
  Result<std::optional<HistoryEntry>> find_history(const SessionId& id) const override {
    return inner_.find_history(id);
  }
  Result<HistoryPage> read_history(std::size_t limit, const std::string& token) const override {
    return inner_.read_history(limit, token);
  }
  Result<std::optional<HistoryEntry>> find_history_by_name(const std::string& user,
                                                           const std::string& name) const override {
    return inner_.find_history_by_name(user, name);
  }
  Result<void> scan_views(std::string_view from, const OnRow& row) const override {
    return inner_.scan_views(from, row);
  }
  Result<std::optional<std::string>> last_view_before(std::string_view key) const override {
    return inner_.last_view_before(key);
  }

 private:
  struct Cut {
    PastCheckpoint at;
    std::unordered_map<std::string, std::optional<std::string>> rows;
    std::size_t bytes = 0;
  };
  void add(const StoreBatch& batch);
  void cut();
  void begin(Offset from, bool base, std::uint64_t events);
  Result<void> base_of(const StoreMeta& meta, const std::function<bool(const LoadedRow&)>& row);
  void run();
  bool write_one(const Cut& cut);
  void wait_until_written(std::unique_lock<std::mutex>& lock);
  void warn(const Error& error) const {
    if (options_.on_warning) options_.on_warning(error);
  }

  Store& inner_;
  CheckpointDb& db_;
  const Options options_;
  std::optional<StoreMeta> meta_;      // as read last
  std::optional<Offset> loaded_base_;  // made of a load that may yet turn out to be damaged
  std::mutex mutex_;
  std::condition_variable changed_;
  Cut pending_;
  bool recording_ = false;
  std::deque<Cut> waiting_;
  bool writing_ = false;
  bool tidy_ = true;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::projections
