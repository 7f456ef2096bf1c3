// A projector over a store and a test journal in a memory log, driven by hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "projections/store/journal_follower.h"
#include "projections/store/memory_store.h"
#include "tests/support/journal.h"

namespace berth::testing {

// What an observer was told, to be looked at.
struct Told : projections::ProjectionObserver {
  void before_change() override { ++depth; }
  void after_change() override { --depth; }
  void on_record(const LogEntry& entry, const projections::ApplyOutcome& outcome,
                 const projections::Projection& projection) override {
    records.push_back(entry.offset);
    suspicious = suspicious || projections::is_suspicious(outcome, projection);
  }
  void on_chain_point(const projections::ChainPoint& point) override { points.push_back(point); }
  void on_rebuilt(const Error& why, Offset from) override {
    rebuilt.push_back(why.code + "@" + std::to_string(from));
  }
  void on_warning(const Error& error) override { warnings.push_back(error.code.word()); }

  int depth = 0;
  bool suspicious = false;  // of its own copy of the journal
  std::vector<Offset> records;
  std::vector<projections::ChainPoint> points;
  std::vector<std::string> rebuilt, warnings;
};

// The state hash of a journal folded from nothing, as hex.
std::string folded_hash(const TestJournal& journal);
inline std::string hash_of(const projections::Projector& projector) {
  return to_hex(as_view(projections::Projection(projector.projection()).state_hash()));
}

// A journal with sessions in every state: `sessions` of them, begun by definitions and two agents.
TestJournal busy_journal(int sessions);

}  // namespace berth::testing
