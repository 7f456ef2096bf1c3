#include "controller/runtime/log/log_probe.h"

#include <pthread.h>

#include <chrono>
#include <vector>

namespace berth::controller {
namespace {

constexpr auto kProbeEvery = std::chrono::seconds(1);
constexpr Duration kReadWait = kSecond;
constexpr int kReadTries = 3;  // a reader's first answer may take long
constexpr std::size_t kReadBytes = 64u << 10;
constexpr Duration kDoubtAfter =
    2 * kSecond;  // then a partition that stands still is read, not only measured

}  // namespace

void LogProbe::start() {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "cell-probe");
    std::unique_lock lock(mutex_);
    do {
      lock.unlock();
      look();
      lock.lock();
    } while (!stopped_.wait_for(lock, kProbeEvery, [this] { return stopping_; }));
  });
}

void LogProbe::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LogProbe::look() {
  const auto journal = log_.extent({Stream::kJournal, 0});
  if (!journal) return health_.log_fails(journal.error());
  health_.journal_ends(journal->end, clock_.now().boottime);
  health_.journal_begins(journal->begin);
  for (const Stream stream : {Stream::kRequests, Stream::kReports})
    for (std::uint32_t number = 0; number < log_.layout().partitions_of(stream); ++number)
      look_at({stream, number});
}

void LogProbe::look_at(const Partition& partition) {
  const Timestamp now = clock_.now().boottime;
  const Offset next = next_input_(partition);
  const auto extent = log_.extent(partition);
  if (!extent) return health_.log_fails(extent.error());
  Seen& seen = seen_.try_emplace(partition, Seen{next, now}).first->second;
  if (extent->end <= next || seen.next != next) seen = {next, now};
  const bool stands = now > seen.since + kDoubtAfter && extent->end != seen.empty_to;
  if (stands && has_entry(partition, next)) return health_.input_waits(partition, next, seen.since);
  if (stands) seen.empty_to = extent->end;
  health_.input_waits(partition, next, std::nullopt);
}

// An end that is ahead may have nothing before it to read: a producer's markers have offsets too (P30).
bool LogProbe::has_entry(const Partition& partition, Offset from) {
  auto reader = log_.open_reader({{partition, from}});
  if (!reader) return true;  // as far as anybody can say
  std::vector<LogEntry> entries;
  for (int tries = 0; tries < kReadTries && entries.empty(); ++tries)
    if (!(*reader)->poll(kReadWait, 1, kReadBytes, entries)) return true;  // also: gone by retention, untaken
  return !entries.empty();
}

}  // namespace berth::controller
