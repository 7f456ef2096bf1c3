#include "events/log/local/appender.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "events/log/log_errors.h"
#include "events/log/positions.h"

namespace berth::local {
namespace {

constexpr std::size_t kGroupBytesMax = 8u << 20;
constexpr auto kDiskPause = std::chrono::milliseconds(100);

}  // namespace

Appender::Appender(std::shared_ptr<LogCore> core, const Clock& clock, Duration patience)
    : core_(std::move(core)),
      clock_(clock),
      ends_(core_->tail.ends()),
      building_(core_->index.size()),
      patience_(patience) {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "log-appender");
    run();
  });
}

Appender::~Appender() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  more_.notify_one();
  thread_.join();
}

void Appender::append(Partition partition, std::string payload, AppendDone done) {
  const std::size_t index = core_->index.of(partition);
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({index, std::move(payload), std::move(done)});
    wake = std::exchange(idle_, false);
  }
  if (wake) more_.notify_one();  // a busy appender looks again by itself
}

void Appender::run() {
  Group group;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (stopped_ && !closing_) more_.wait_for(lock, kDiskPause, [this] { return closing_; });
      idle_ = queue_.empty();
      more_.wait(lock, [this] { return !queue_.empty() || closing_; });
      idle_ = false;
      if (queue_.empty()) return;
      group.swap(queue_);
    }
    for (std::size_t from = 0; from < group.size();) {
      std::size_t to = from;
      for (std::size_t bytes = 0; to < group.size() && bytes < kGroupBytesMax; ++to)
        bytes += group[to].payload.size();
      write(group, from, to);
      from = to;
    }
    group.clear();
  }
}

void Appender::write(Group& group, std::size_t from, std::size_t to) {
  std::vector<Tail::Added> blocks = build(group, from, to);
  const WriteOutcome outcome = store(blocks);
  if (outcome.written == Written::kYes) {
    for (const Tail::Added& added : blocks) ends_[added.partition] = added.block->end();
    core_->tail.publish(std::move(blocks));
  }
  report(group, from, to, outcome);
}

std::vector<Tail::Added> Appender::build(Group& group, std::size_t from, std::size_t to) {
  touched_.clear();
  for (std::size_t i = from; i < to; ++i) {
    Queued& queued = group[i];
    queued.too_large = queued.payload.size() > kPayloadBytesMax;
    if (queued.too_large) continue;
    Building& building = building_[queued.index];
    if (building.bytes == 0) touched_.push_back(queued.index);
    building.bytes += queued.payload.size() + kRecordHeaderBytes;
  }
  for (const std::size_t index : touched_) {
    building_[index].builder = std::make_unique<BlockBuilder>(ends_[index], building_[index].bytes);
  }
  for (std::size_t i = from; i < to; ++i) {
    if (!group[i].too_large) group[i].offset = building_[group[i].index].builder->add(group[i].payload);
  }
  const Timestamp now = core_->time.at(clock_.now());
  std::vector<Tail::Added> blocks;
  blocks.reserve(touched_.size());
  for (const std::size_t index : touched_) {
    blocks.push_back({index, building_[index].builder->finish(now)});
    building_[index] = {};
  }
  return blocks;
}

WriteOutcome Appender::store(const std::vector<Tail::Added>& blocks) {
  if (!broken_.code.empty()) return {Written::kNo, broken_};
  if (stopped_) {
    if (const Result<void> resumed = core_->rows->resume(); !resumed)
      return {Written::kNo, stop_for(resumed.error())};
    stopped_ = false;
  }
  if (blocks.empty()) return {};
  std::vector<RowStore::Row> rows;
  rows.reserve(blocks.size());
  bool sync = false;
  for (const Tail::Added& added : blocks) {
    const Partition partition = core_->index.at(added.partition);
    sync = sync || needs_sync(partition.stream);
    rows.push_back({partition, added.block});
  }
  WriteOutcome outcome = core_->rows->write(rows, sync);
  if (outcome.written == Written::kYes)
    patience_.succeeded();
  else
    outcome.error = stop_for(std::move(outcome.error));
  return outcome;
}

Error Appender::stop_for(Error error) {
  error = patience_.judge(std::move(error), clock_.now().boottime, kLogIoError);
  stopped_ = may_pass(error);
  if (!stopped_) broken_ = error;
  return error;
}

void Appender::report(Group& group, std::size_t from, std::size_t to, const WriteOutcome& outcome) {
  AppendResult result;
  result.state = outcome.written == Written::kYes  ? AppendState::kDurable
                 : outcome.written == Written::kNo ? AppendState::kFailed
                                                   : AppendState::kUnknown;
  result.error = outcome.error;
  for (std::size_t i = from; i < to; ++i) {
    Queued& queued = group[i];
    if (!queued.done) continue;
    if (queued.too_large) {
      queued.done({AppendState::kFailed, 0, payload_too_large(queued.payload.size())});
      continue;
    }
    result.offset = outcome.written == Written::kYes ? queued.offset : 0;
    queued.done(result);
  }
}

}  // namespace berth::local
