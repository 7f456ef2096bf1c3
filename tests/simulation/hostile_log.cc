#include "tests/simulation/hostile_log.h"

#include "projections/fold/chain.h"

namespace berth::simulation {

HostileLog::HostileLog(const SimCluster& cluster, const Hostility& hostility, std::uint64_t seed)
    : cluster_(cluster), h_(hostility), rng_(seed ^ 0x106106) {}

void HostileLog::chaos(const Instant& now) {
  if (h_.outages && away_.empty() && rng_.chance(1, 200)) begin_outage(now);
  if (h_.chain_heads && fillings_left_ > 0 && rng_.chance(1, 250)) fill_journal();
  if (h_.gaps && rng_.chance(1, 60)) leave_gap();
}

void HostileLog::begin_outage(const Instant& now) {
  constexpr Stream kStreams[] = {Stream::kJournal, Stream::kRequests, Stream::kReports,
                                 Stream::kOrders,  Stream::kHealth,   Stream::kControl};
  if (rng_.chance(1, 4))
    away_.assign(std::begin(kStreams), std::end(kStreams));
  else
    away_.assign(1, kStreams[rng_.below(std::size(kStreams))]);
  for (const Stream stream : away_) cluster_.server->set_reachable(stream, false);
  back_at_ = now.boottime + static_cast<Duration>(200 + rng_.below(12'000)) * kMillisecond;
}

// Chain heads come every few thousand records; a run has hundreds.
void HostileLog::fill_journal() {
  --fillings_left_;
  const Partition journal{Stream::kJournal, 0};
  const Offset short_of = 2 + rng_.below(25);
  while ((cluster_.server->extent(journal).end + short_of) % projections::kChainEvery != 0)
    cluster_.server->put(journal, "no record");
}

// As the mark at which a transactional producer ends a transaction.
void HostileLog::leave_gap() {
  constexpr Stream kStreams[] = {Stream::kJournal, Stream::kRequests, Stream::kReports,
                                 Stream::kOrders,  Stream::kHealth,   Stream::kControl};
  const Stream stream = kStreams[rng_.below(std::size(kStreams))];
  if (!cluster_.server->is_reachable(stream)) return;
  cluster_.server->add_gap(
      {stream, static_cast<std::uint32_t>(rng_.below(cluster_.layout.partitions_of(stream)))});
}

void HostileLog::turn(const Instant& now) {
  if (!away_.empty() && now.boottime >= back_at_) heal();
}

void HostileLog::heal() {
  for (const Stream stream : away_) cluster_.server->set_reachable(stream, true);
  away_.clear();
}

}  // namespace berth::simulation
