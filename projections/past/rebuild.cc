#include "projections/past/rebuild.h"

#include <algorithm>
#include <ctime>

#include "events/codec/envelope.h"
#include "events/codec/parse_body.h"
#include "projections/store/row_loader.h"

namespace berth::projections {
namespace {

constexpr Partition kJournal{Stream::kJournal, 0};
constexpr std::size_t kEntriesAtOnce = 2'000;
constexpr std::size_t kBytesAtOnce = 4u << 20;
// What a load costs more than a copy, in records, before either was measured.
constexpr Offset kCopyWorth = 2'000;
constexpr Duration kWait = 500 * kMillisecond;
constexpr Offset kRecordsMeasured = 200;  // fewer say nothing of a record's time
constexpr int kSilent = 20;               // waits without a record, then the log is given up
constexpr std::size_t kBytesOfRow = 600;

Error failed(std::string message) {
  return make_error("past-failed", std::move(message), "the controller's own log says more");
}

std::size_t bytes_of(const State& state) {
  std::size_t rows = 0;
  State::each_table(state, [&](const auto& table) {
    using Row = typename std::remove_cvref_t<decltype(table)>::Row;
    rows += table.size() * (sizeof(Row) + kBytesOfRow);
  });
  return rows;
}

// In order of time: elsewhere than in front the queue of what expires finds a row by a search.
void drop_requests(State& state) {
  while (!state.answered().empty()) state.requests.erase(std::string(state.answered().front().second));
  state.commit();
}

// The time that `work` takes on this thread, waits left out: others may keep the processor busy.
template <class Work> auto timed(Duration& took, Work work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return Duration(time.tv_sec) * kSecond + time.tv_nsec;
  };
  const Duration began = now();
  auto done = work();
  took = std::max<Duration>(now() - began, 1);
  return done;
}

std::shared_ptr<Projection> copy_of(const Projection& projection) {
  auto copy = std::make_shared<Projection>(projection);
  copy->own().keep_no_history();
  return copy;
}

}  // namespace

Result<PastPtr> PastRebuilder::rebuild(Offset next, const PastPtr& near, const Progress& progress) const {
  auto projection = begin(next, near);
  if (!projection) return projection.error();
  const Offset records = next - (*projection)->chain().next();
  Duration took = 0;
  if (auto folded = timed(took, [&] { return fold(**projection, next, progress); }); !folded)
    return folded.error();
  if (records >= kRecordsMeasured) costs_.record = took / static_cast<Duration>(records);
  drop_requests((*projection)->state_to_load());
  auto state = std::make_shared<PastState>();
  state->point = {next == 0 ? 0 : next - 1, (*projection)->state().epoch().time};
  state->bytes = bytes_of((*projection)->state());
  state->projection = std::move(*projection);
  return PastPtr(std::move(state));
}

bool PastRebuilder::copies(const Costs& costs, Offset near, Offset loaded) {
  if (near >= loaded) return true;
  const Duration records = static_cast<Duration>(std::min<Offset>(loaded - near, 1u << 30));
  if (costs.record == 0 || costs.load == 0) return records <= static_cast<Duration>(kCopyWorth);
  return records * costs.record + costs.copy <= costs.load;
}

Result<std::shared_ptr<Projection>> PastRebuilder::begin(Offset next, const PastPtr& near) const {
  const auto checkpoint =
      parts_.checkpoints != nullptr ? parts_.checkpoints->find(next) : std::optional<PastCheckpoint>();
  const Offset loaded = checkpoint ? checkpoint->next : 0;
  if (near != nullptr && near->projection->chain().next() <= next &&
      copies(costs_, near->projection->chain().next(), loaded))
    return timed(costs_.copy, [&] { return copy_of(*near->projection); });
  if (checkpoint) return timed(costs_.load, [&] { return load(*checkpoint); });
  const auto extent = parts_.log.extent(kJournal);
  if (!extent) return extent.error();
  if (extent->begin > 0)
    return make_error("past-pruned",
                      "the journal begins at position " + std::to_string(extent->begin) +
                          ", and no checkpoint from before it is left",
                      "GET /v1/past says from when on");
  auto fresh = std::make_shared<Projection>(parts_.cluster, Projection::Tracking::kNone, parts_.trust);
  fresh->own().keep_no_history();
  return fresh;
}

Result<std::shared_ptr<Projection>> PastRebuilder::load(const PastCheckpoint& checkpoint) const {
  auto projection = std::make_shared<Projection>(parts_.cluster, Projection::Tracking::kNone, parts_.trust);
  RowLoader loader(projection->state_to_load(), nullptr);
  bool whole = true;
  const auto read = parts_.checkpoints->read(checkpoint, [&](const LoadedRow& row) {
    whole = loader.take(row);
    return whole;
  });
  if (!read) return read.error();
  if (!whole) return failed("a checkpoint of the past does not decode");
  loader.finish();
  projection->restore_chain(
      {ChainPoint{checkpoint.next, checkpoint.rolling, std::nullopt, projection->state().epoch().applied}});
  projection->own().keep_no_history();
  projection->believe_claims();
  return projection;
}

Result<void> PastRebuilder::fold(Projection& projection, Offset next, const Progress& progress) const {
  const Offset from = projection.chain().next();
  if (from >= next) return {};
  auto reader = parts_.log.open_reader({{kJournal, from}});
  if (!reader) return reader.error();
  std::vector<LogEntry> entries;
  for (int silent = 0; projection.chain().next() < next;) {
    const Offset at = projection.chain().next();
    if (!progress(at - from, next - from))
      return make_error("stopping", "nobody waits for this state any more");
    entries.clear();
    const auto read =
        (*reader)->poll(kWait, std::min<std::size_t>(kEntriesAtOnce, next - at), kBytesAtOnce, entries);
    if (!read) return read.error();
    silent = entries.empty() ? silent + 1 : 0;
    if (silent == kSilent) return make_error("log-unavailable", "the log gives no records", "ask again");
    for (const LogEntry& entry : entries) {
      if (parts_.is_ignored(entry.offset)) {
        projection.pass_over(entry);
        continue;
      }
      auto outcome = projection.apply(entry, parts_.is_void(entry.offset));
      if (outcome.what == ApplyOutcome::What::kMismatch)  // of one that has read all: the log is right
        outcome = projection.apply(entry, true);
      if (outcome.what == ApplyOutcome::What::kStop) return outcome.error;
    }
  }
  return {};
}

Result<std::optional<PastPoint>> PastRebuilder::record_at(Offset from, Offset end) const {
  if (from >= end) return std::optional<PastPoint>();
  auto reader = parts_.log.open_reader({{kJournal, from}});
  if (!reader) return reader.error();
  std::vector<LogEntry> entries;
  for (int silent = 0; silent < kSilent;) {
    entries.clear();
    const auto read = (*reader)->poll(kWait, 1, kBytesAtOnce, entries);
    if (!read) return read.error();
    if (entries.empty()) ++silent;
    for (const LogEntry& entry : entries) {
      if (entry.offset >= end) return std::optional<PastPoint>();
      v1::Record record;
      if (entry.gap || parts_.is_void(entry.offset) || parts_.is_ignored(entry.offset) ||
          !parse_body(open_envelope(entry.payload, parts_.cluster), record))
        continue;
      return std::optional(PastPoint{entry.offset, record.header().time_ns()});
    }
  }
  return make_error("log-unavailable", "the log gives no records", "ask again");
}

// Times of records that are not void do not fall, but where a new leader's clock is behind: then it is one of
// the records around that time.
Result<std::optional<PastPoint>> PastRebuilder::find(Timestamp time, Offset first, Offset end) const {
  std::optional<PastPoint> best;
  Offset low = first, high = end;
  if (parts_.checkpoints != nullptr)
    for (const PastCheckpoint& checkpoint : parts_.checkpoints->list()) {
      if (checkpoint.next == 0 || checkpoint.next <= first || checkpoint.next > end) continue;
      if (checkpoint.time > time) {
        high = std::min(high, checkpoint.next);
        break;
      }
      best = PastPoint{checkpoint.next - 1, checkpoint.time};
      low = checkpoint.next;
    }
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    const auto record = record_at(middle, high);
    if (!record) return record.error();
    if (!*record || (*record)->time > time) {
      high = middle;
    } else {
      best = **record;
      low = best->position + 1;
    }
  }
  return best;
}

}  // namespace berth::projections
