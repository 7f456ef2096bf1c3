#include "tests/unit/past/past_rig.h"

#include <algorithm>

namespace berth::testing {

using projections::ApplyOutcome;

Rows rows_of(const projections::State& state) {
  Rows rows;
  projections::State::each_table(state, [&](const auto& table) {
    using Row = typename std::remove_cvref_t<decltype(table)>::Row;
    if (Row::kTable == projections::RequestRow::kTable) return;
    for (const auto& key : table.sorted_keys()) {
      projections::RowEncoder encoder;
      Row row = *table.find(key);
      row.fields(encoder);
      rows[{Row::kTable, projections::key_bytes(key)}] = encoder.take();
    }
  });
  return rows;
}

Rows folded_rows(const TestJournal& journal, Offset next) {
  projections::Projection projection(test_cluster(), projections::Projection::Tracking::kNone);
  for (const LogEntry& entry : journal.entries())
    if (entry.offset < next) projection.apply(entry);
  return rows_of(projection.state());
}

void PastRig::open() {
  auto opened = projections::CheckpointDb::open(dir.path() / "past", test_cluster());
  ASSERT_TRUE(opened) << to_string(opened.error());
  checkpoints = std::move(*opened);
  projections::PastRecorder::Options options;
  options.cut_events = cut_events_;
  recorder_ = std::make_unique<projections::PastRecorder>(store, *checkpoints, options);
  projector = std::make_unique<projections::Projector>(test_cluster(), *recorder_,
                                                       projections::ProjectorOptions{}, nullptr);
  ASSERT_TRUE(projector->open());
}

void PastRig::follow(const TestJournal& journal, std::size_t at_once) {
  const auto entries = journal.entries(projector->next());
  for (const LogEntry& entry : entries) {
    if (log.extent({Stream::kJournal, 0})->end > entry.offset) continue;
    if (entry.gap)
      log.add_gap({Stream::kJournal, 0});
    else
      log.append({Stream::kJournal, 0}, "", entry.payload, {});
  }
  for (std::size_t from = 0; from < entries.size(); from += at_once) {
    const std::size_t count = std::min(at_once, entries.size() - from);
    const auto outcome = projector->apply(std::span(entries).subspan(from, count), 1);
    if (outcome.next == projections::Projector::Next::kVerify) {
      projector->distrust_claim();
      voids.insert(projector->next());
      projector->apply(std::span(entries).subspan(from, count), 1);
    }
    ASSERT_TRUE(projector->flush());
    recorder_->drain();
  }
}

// The recorder's last cut is what a crash loses.
void PastRig::crash() {
  recorder_->drain();
  const auto kept = checkpoints->newest();
  projector.reset();
  recorder_.reset();
  ASSERT_TRUE(!kept || checkpoints->erase_after(kept->next));
  checkpoints.reset();
  open();
}

void PastRig::restart() {
  projector.reset();
  recorder_.reset();
  checkpoints.reset();
  open();
}

projections::PastRebuilder PastRig::rebuilder() {
  return projections::PastRebuilder(
      {test_cluster(), {}, log, checkpoints.get(), [this](Offset offset) { return voids.contains(offset); }});
}

Result<projections::PastPtr> PastRig::rebuild(Offset next, const projections::PastPtr& near) {
  folded = 0;
  return rebuilder().rebuild(next, near, [this](Offset, Offset all) {
    folded = all;
    return true;
  });
}

}  // namespace berth::testing
