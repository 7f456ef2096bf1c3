#include "projections/past/recorder.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "projections/past/low_priority.h"

namespace berth::projections {
namespace {

constexpr std::size_t kPieceBytes = 4u << 20;

std::optional<EpochRow> epoch_row(std::string_view bytes) {
  RowDecoder decoder(bytes);
  EpochRow row;
  if (decoder.ok()) row.fields(decoder);
  return decoder.ok() ? std::optional(row) : std::nullopt;
}

}  // namespace

PastRecorder::PastRecorder(Store& inner, CheckpointDb& db, Options options)
    : inner_(inner), db_(db), options_(std::move(options)), thread_([this] { run(); }) {}

void PastRecorder::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    if (recording_ && pending_.at.events != 0) cut();
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void PastRecorder::drain() {
  std::unique_lock lock(mutex_);
  wait_until_written(lock);
  changed_.wait(lock, [this] { return (!tidy_ && !writing_) || stopping_; });
}

void PastRecorder::wait_until_written(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return (waiting_.empty() && !writing_) || stopping_; });
}

Result<void> PastRecorder::write(const StoreBatch& batch) {
  if (auto written = inner_.write(batch); !written) return written;
  const std::lock_guard lock(mutex_);
  loaded_base_.reset();
  if (recording_) add(batch);
  return {};
}

void PastRecorder::add(const StoreBatch& batch) {
  if (pending_.at.next != pending_.at.from && pending_.at.events + batch.events > options_.cut_events &&
      waiting_.size() < options_.waiting_max)
    cut();
  pending_.at.next = batch.meta.next;
  pending_.at.rolling = batch.meta.rolling;
  pending_.at.events += batch.events;
  for (const RowChange& change : batch.rows) {
    if (!is_kept_in_past(change.table)) continue;
    pending_.bytes += change.key.size() + (change.bytes ? change.bytes->size() : 0);
    pending_.rows.insert_or_assign(past_row_key(change.table, change.key), change.bytes);
    if (change.table != EpochRow::kTable || !change.bytes) continue;
    if (const auto epoch = epoch_row(*change.bytes)) pending_.at.time = epoch->time;
  }
  if (pending_.bytes < options_.pending_bytes_max) return;
  recording_ = false;
  pending_ = {};
  warn(make_error("past-not-kept", "checkpoints of the past are not written fast enough, or not at all",
                  "look at the disk under the state folder; after a restart they go on"));
}

// The rows since the checkpoint before become one.
void PastRecorder::cut() {
  const Offset next = pending_.at.next;
  waiting_.push_back(std::move(pending_));
  begin(next, false, 0);
  tidy_ = true;
  changed_.notify_all();
}

void PastRecorder::begin(Offset from, bool base, std::uint64_t events) {
  pending_ = {};
  pending_.at.from = pending_.at.next = from;
  pending_.at.base = base;
  pending_.at.events = events;
  recording_ = true;
}

Result<void> PastRecorder::reset(Offset not_after) {
  {
    std::unique_lock lock(mutex_);
    wait_until_written(lock);
    recording_ = false;
    const Offset keep = std::min(not_after, loaded_base_ ? *loaded_base_ - 1 : UINT64_MAX);
    loaded_base_.reset();
    if (auto erased = db_.erase_after(keep); !erased) warn(erased.error());
  }
  return inner_.reset(not_after);
}

Result<std::optional<StoreMeta>> PastRecorder::read_meta() {
  auto meta = inner_.read_meta();
  if (!meta) return meta;
  meta_ = *meta;
  if (meta_) return meta;
  const std::lock_guard lock(mutex_);
  if (auto erased = db_.erase_after(0); !erased)
    warn(erased.error());
  else
    begin(0, true, 0);
  return meta;
}

// A checkpoint behind the store's point may be of records that the log has lost since.
Result<void> PastRecorder::read_rows(const std::function<bool(const LoadedRow&)>& row) {
  std::unique_lock lock(mutex_);
  wait_until_written(lock);
  recording_ = false;
  if (!meta_) return inner_.read_rows(row);
  auto erased = db_.erase_after(meta_->next);
  const auto newest = db_.newest();
  if (erased && newest && newest->next == meta_->next) {
    if (newest->rolling == meta_->rolling) {
      begin(newest->next, false, 0);
      return inner_.read_rows(row);
    }
    erased = db_.erase_after(0);
  }
  if (erased) return base_of(*meta_, row);
  warn(erased.error());
  return inner_.read_rows(row);
}

Result<void> PastRecorder::base_of(const StoreMeta& meta, const std::function<bool(const LoadedRow&)>& row) {
  PastCheckpoint at{meta.next, meta.next, true, 0, 0, meta.rolling, 0};
  const auto newest = db_.newest();
  if (newest) at.events = newest->events + (meta.next - newest->next);
  PastRows piece;
  std::size_t bytes = 0;
  std::optional<Error> failed;
  const auto put = [&] {
    if (auto written = db_.put(at.next, piece); !written) failed = written.error();
    piece.clear();
    at.bytes += std::exchange(bytes, 0);
  };
  bool whole = true;
  auto read = inner_.read_rows([&](const LoadedRow& loaded) {
    if (!failed && is_kept_in_past(loaded.table)) {
      piece.emplace(past_row_key(loaded.table, loaded.key), std::string(loaded.bytes));
      bytes += loaded.key.size() + loaded.bytes.size();
      if (loaded.table == EpochRow::kTable)
        if (const auto epoch = epoch_row(loaded.bytes)) at.time = epoch->time;
      if (bytes >= kPieceBytes) put();
    }
    whole = row(loaded);
    return whole;
  });
  if (!read || !whole) return read;
  put();
  if (!failed)
    if (auto sealed = db_.seal(at); !sealed) failed = sealed.error();
  if (failed) return warn(*failed), Result<void>();
  loaded_base_ = at.next;
  begin(at.next, false, 0);
  return {};
}

void PastRecorder::run() {
  run_at_low_priority("past-recorder");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty() || tidy_; });
    if (!waiting_.empty()) {
      const Cut cut = std::move(waiting_.front());
      waiting_.pop_front();
      writing_ = true;
      lock.unlock();
      const bool done = write_one(cut);
      lock.lock();
      writing_ = false;
      if (!done && recording_) recording_ = false, pending_ = {}, waiting_.clear();
      changed_.notify_all();
    } else if (stopping_) {
      return;
    } else {
      tidy_ = false;
      writing_ = true;
      lock.unlock();
      const auto tidied = db_.tidy();
      lock.lock();
      writing_ = false;
      tidy_ = tidy_ || (tidied.ok() && *tidied);
      if (!tidied.ok()) warn(tidied.error());
      changed_.notify_all();
    }
  }
}

// A full disk may have room again.
bool PastRecorder::write_one(const Cut& cut) {
  constexpr int kTries = 3;
  PastCheckpoint at = cut.at;
  if (const auto newest = db_.newest()) at.events += newest->events;
  const PastRows sorted(cut.rows.begin(), cut.rows.end());
  for (int i = 0; i < kTries; ++i) {
    const auto written = db_.write(at, sorted);
    if (written.ok()) return true;
    if (i + 1 == kTries) warn(written.error());
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return false;
}

}  // namespace berth::projections
