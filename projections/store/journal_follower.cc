#include "projections/store/journal_follower.h"

#include <algorithm>

#include "events/log/positions.h"

namespace berth::projections {
namespace {

constexpr Partition kJournal{Stream::kJournal, 0};

// A loss right before the last comparison may have been made good by the same bytes, as gaps are. So a glance
// begins this much earlier.
constexpr Offset kGlanceBack = 256;

}  // namespace

Result<void> JournalFollower::open() {
  auto reaches = require_at_least(log_, kJournal, projector_.next());
  const bool truncated = !reaches && is_log_truncated(reaches.error());
  if (!reaches && !truncated) return reaches;
  if (truncated && !options_.accept_truncation)
    return make_error(
        kLogTruncated,
        reaches.error().message + " (log: " + options_.log_name + ", state: " + options_.store_name + ")",
        reaches.error().hint);
  if (auto begins = check_beginning(); !begins) return begins;
  auto reader = log_.open_reader({{kJournal, projector_.next()}});
  if (!reader) return reader.error();
  reader_ = std::move(*reader);
  if (!truncated) return {};
  auto rebuilt = verify(reaches.error(), false);
  truncation_.reset();
  return rebuilt;
}

// A journal is kept from its first record on.
Result<void> JournalFollower::check_beginning() {
  const auto extent = log_.extent(kJournal);
  if (!extent) return extent.error();
  lost_beginning_ = extent->begin;
  if (extent->begin <= projector_.next()) return {};
  return make_error("log-beginning-lost",
                    "the journal begins at offset " + std::to_string(extent->begin) +
                        ", and the state ends at " + std::to_string(projector_.next()) +
                        ": the records between them are gone (log: " + options_.log_name +
                        ", state: " + options_.store_name + ")",
                    "bring back a copy of the whole log, or of the state; else berth restore from a backup");
}

Result<std::size_t> JournalFollower::step(Duration wait, Timestamp now) {
  entries_.clear();
  auto polled = reader_->poll(wait, kStepEntries, kStepBytes, entries_);
  if (!polled) {
    if (!is_out_of_range(polled.error())) return polled.error();
    if (auto begins = check_beginning(); !begins) return begins.error();
    if (auto done = verify(polled.error(), false); !done) return done.error();
    return std::size_t{0};
  }
  auto taken = act(projector_.apply(entries_, now));
  if (!taken) return taken;
  if (projector_.flush_due(now))
    if (auto saved = projector_.flush(); !saved) return saved.error();
  if (auto pruned = projector_.prune(now); !pruned) return pruned.error();
  return taken;
}

Result<std::size_t> JournalFollower::act(Projector::Outcome outcome) {
  Result<void> done;
  switch (outcome.next) {
    case Projector::Next::kGoOn: return outcome.records;
    case Projector::Next::kStop: return outcome.error;
    case Projector::Next::kVerify: done = verify(outcome.error, true); break;
    case Projector::Next::kRebuild: done = rebuild(outcome.error, projector_.verified()); break;
    case Projector::Next::kBlocked:
      reader_->seek(kJournal, projector_.next());
      done = projector_.flush();
      break;
  }
  if (!done) return done.error();
  return outcome.records;
}

// Who is right, this reader or the claim? The log says.
Result<void> JournalFollower::verify(const Error& why, bool claim_may_be_wrong) {
  auto difference = first_difference(log_, projector_.projection().chain());
  if (!difference) return difference.error();
  if (difference->has_value()) {
    const Truncation gone{projector_.next(), **difference - 1};
    if (auto rebuilt = rebuild(why, gone.left); !rebuilt) return rebuilt;
    truncation_ = truncation_ ? Truncation{truncation_->read, std::min(truncation_->left, gone.left)} : gone;
    return {};
  }
  compared_ = projector_.next();
  if (claim_may_be_wrong) projector_.distrust_claim();
  reader_->seek(kJournal, projector_.next());
  return {};
}

Result<void> JournalFollower::rebuild(const Error& why, Offset not_after) {
  compared_ = 0;
  if (auto done = projector_.rebuild(why, not_after); !done) return done;
  reader_->seek(kJournal, projector_.next());  // first: the log may be out of reach below
  if (auto begins = check_beginning(); !begins) return begins;
  // A checkpoint may be of the same wrong log.
  auto difference = first_difference(log_, projector_.projection().chain());
  if (!difference) return difference.error();
  if (difference->has_value()) {
    if (auto done = projector_.rebuild(why, 0); !done) return done;
    reader_->seek(kJournal, projector_.next());
    if (auto begins = check_beginning(); !begins) return begins;
  }
  compared_ = projector_.next();
  return {};
}

Result<void> JournalFollower::check_against_log() {
  return verify(make_error("journal-replaced", "the journal is not what was read before",
                           "it was truncated or replaced"),
                false);
}

Result<void> JournalFollower::glance() {
  const Chain& chain = projector_.projection().chain();
  auto difference = first_difference(log_, chain, compared_ - std::min(compared_, kGlanceBack));
  if (!difference) return difference.error();
  if (difference->has_value()) return check_against_log();  // the first may be further back
  compared_ = chain.next();
  return {};
}

Result<std::optional<Offset>> first_difference(EventLog& log, const Chain& chain, Offset from) {
  using Found = std::optional<Offset>;
  const auto extent = log.extent(kJournal);
  if (!extent) return extent.error();
  if (extent->begin > chain.next()) return offset_out_of_range(kJournal, chain.next(), *extent);
  Chain again;
  again.restore({*chain.at(std::max({from, chain.oldest(), extent->begin}))});
  const Offset end = std::min(extent->end, chain.next());
  if (again.next() < end) {
    auto reader = log.open_reader({{kJournal, again.next()}});
    if (!reader) return reader.error();
    std::vector<LogEntry> entries;
    while (again.next() < end) {
      entries.clear();
      const auto polled =
          (*reader)->poll(kSecond, JournalFollower::kStepEntries, JournalFollower::kStepBytes, entries);
      if (!polled) return polled.error();
      if (*polled == 0)
        return make_error(kLogUnavailable,
                          "the journal gives nothing at offset " + std::to_string(again.next()),
                          "it is asked again");
      for (const LogEntry& entry : entries) {
        if (again.next() == end) break;
        again.extend(link_of(entry));
        if (again.rolling() != chain.at(again.next())->rolling) return Found(again.next());
      }
    }
  }
  if (chain.next() > extent->end)
    return Found(extent->end + 1);  // the log is shorter than what was read of it
  return Found();
}

}  // namespace berth::projections
