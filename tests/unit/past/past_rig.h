// A journal that is followed into a store with checkpoints of the past beside it, driven by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "projections/past/past_desk.h"
#include "projections/past/recorder.h"
#include "projections/store/memory_store.h"
#include "tests/support/log/threaded_memory_log.h"
#include "tests/support/projector_rig.h"
#include "tests/support/temp_dir.h"

namespace berth::testing {

// Rows by table and key, without those of requests.
using Rows = std::map<std::pair<int, std::string>, std::string>;
Rows rows_of(const projections::State& state);
// The state after the records [0, next), folded from nothing.
Rows folded_rows(const TestJournal& journal, Offset next);

class PastRig {
 public:
  explicit PastRig(std::uint64_t cut_events = 7) : cut_events_(cut_events) { open(); }

  // Appends what the journal has more than the log, and follows it, `at_once` records a batch.
  void follow(const TestJournal& journal, std::size_t at_once = 3);
  // The process ends without a word: what was not written is lost.
  void crash();
  // The process ends in order, and begins again.
  void restart();
  // All that was cut is written and tidied.
  void settle() { recorder_->drain(); }

  projections::PastRebuilder rebuilder();
  Result<projections::PastPtr> rebuild(Offset next, const projections::PastPtr& near = nullptr);

  TempDir dir;
  ThreadedMemoryLog log;
  projections::MemoryStore store;
  std::set<Offset> voids;
  std::unique_ptr<projections::CheckpointDb> checkpoints;
  std::unique_ptr<projections::PastRecorder> recorder_;
  std::unique_ptr<projections::Projector> projector;
  Offset folded = 0;  // records that the last rebuild folded

 private:
  void open();
  const std::uint64_t cut_events_;
};

}  // namespace berth::testing
