// CheckpointDb: the checkpoints of past states in a database of their own. Disposable: it is made anew as the
// journal is followed, and what it lacks is folded.
//
// A base has all rows of its state, and each checkpoint behind it those that changed since the one before. A
// state is the newest base up to it with the changes laid over it. Keys: 'c' next = checkpoint; 'd' next
// table key = row, 1 byte that says whether it is there and its bytes; 'm' = cluster and schema.
//
// Written by one thread, read by several.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include <rocksdb/db.h>

#include "projections/past/checkpoint.h"
#include "projections/store/store.h"

namespace berth::projections {

class CheckpointDb {
 public:
  enum class Mode : std::uint8_t { kWrite, kReadOnly };  // kReadOnly: beside a process that writes

  // One of another cluster, or one that does not open, is removed and begun anew (not with kReadOnly). Codes:
  // store-failed, store-locked, store-corrupt.
  static Result<std::unique_ptr<CheckpointDb>> open(const std::filesystem::path& folder, const Uuid& cluster,
                                                    Mode mode = Mode::kWrite);
  ~CheckpointDb();

  // In order.
  std::vector<PastCheckpoint> list() const;
  std::optional<PastCheckpoint> newest() const;
  // The newest at or before `next`.
  std::optional<PastCheckpoint> find(Offset next) const;

  // Codes of what writes: disk-full, store-failed.
  Result<void> write(const PastCheckpoint& checkpoint, const PastRows& rows);
  // A base in pieces: any number of put(), and then seal().
  Result<void> put(Offset next, const PastRows& rows);
  Result<void> seal(PastCheckpoint checkpoint);
  // Those behind `next` are of another journal.
  Result<void> erase_after(Offset next);
  // Makes bases where changes have piled up, and joins what lies closer than its age asks for. At most one
  // piece of work; false: there is none.
  Result<bool> tidy();

  // Another rule of how far apart checkpoints are, by age: past_gap().
  void set_gap(std::uint64_t (*gap)(std::uint64_t age)) { gap_ = gap; }

  // All rows of the state at the checkpoint, in key order, until `row` says false. Codes: store-corrupt,
  // store-failed.
  Result<void> read(const PastCheckpoint& at, const std::function<bool(const LoadedRow&)>& row) const;

 private:
  explicit CheckpointDb(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> open_db(Mode mode, const Uuid& cluster);
  Result<void> load_list();
  std::vector<PastCheckpoint> chain_of(const PastCheckpoint& at) const;
  Result<void> make_base(PastCheckpoint at);
  Result<void> join(const PastCheckpoint& old, PastCheckpoint into);
  Result<void> copy_missing(const std::vector<PastCheckpoint>& from, const PastCheckpoint& into,
                            bool gone_too, std::uint64_t& bytes);
  void forget(Offset next);
  void remember(const PastCheckpoint& checkpoint);

  std::filesystem::path folder_;
  std::uint64_t (*gap_)(std::uint64_t) = past_gap;
  std::unique_ptr<rocksdb::DB> db_;
  // A reader holds it shared: rows of a checkpoint in its hands are not removed.
  mutable std::shared_mutex rows_;
  mutable std::mutex list_mutex_;
  std::map<Offset, PastCheckpoint> list_;
};

}  // namespace berth::projections
