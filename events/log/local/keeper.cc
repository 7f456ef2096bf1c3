#include "events/log/local/keeper.h"

#include <pthread.h>

#include <chrono>
#include <utility>

namespace berth::local {
namespace {

constexpr std::size_t kRemovedBytesMax = 64u
                                         << 20;  // in one pass and partition: rows are read to see their time

}  // namespace

std::vector<Offset> marked_ends(const LogCore& core) {
  std::vector<Offset> ends = core.tail.ends();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!needs_sync(core.index.at(i).stream)) ends[i] = 0;
  }
  return ends;
}

Keeper::Keeper(std::shared_ptr<LogCore> core, std::unique_ptr<EndMark> mark, const LocalLogOptions& options)
    : core_(std::move(core)),
      mark_(std::move(mark)),
      clock_(*options.clock),
      mark_interval_(options.mark_interval),
      retention_interval_(options.retention_interval),
      next_removal_(clock_.now().boottime + retention_interval_) {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "log-keeper");
    run();
  });
}

Keeper::~Keeper() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
  (void)core_->rows->sync();  // liveness rows; the others are
  write_mark();
}

void Keeper::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::nanoseconds(mark_interval_), [this] { return closing_; })) {
    lock.unlock();
    write_mark();
    if (const Timestamp now = clock_.now().boottime; now >= next_removal_) {
      remove_old();
      next_removal_ = now + retention_interval_;
    }
    lock.lock();
  }
}

void Keeper::write_mark() {
  // The ends are durable already; so the mark never runs ahead. A failed write is tried again at the next
  // turn.
  std::vector<Offset> ends = marked_ends(*core_);
  if (ends != mark_->ends()) (void)mark_->write(ends);
}

void Keeper::remove_old() {
  const Timestamp now = core_->time.at(clock_.now());
  for (std::size_t i = 0; i < core_->index.size(); ++i) {
    const Partition partition = core_->index.at(i);
    const Duration kept = kept_for(partition.stream);
    if (kept == 0 || core_->tail.extent(i).begin == core_->tail.extent(i).end) continue;
    const Result<Offset> begin = core_->rows->remove_older(partition, now - kept, kRemovedBytesMax);
    if (begin) core_->tail.set_begin(i, *begin);
  }
}

}  // namespace berth::local
