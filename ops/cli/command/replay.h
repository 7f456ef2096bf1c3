// Folds the journal with this program's own fold: for the past, and to check the server's present.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "ops/cli/command/journal_pages.h"
#include "projections/audit/chain_audit.h"
#include "projections/fold/projection.h"

namespace berth::cli {

// Folds one record, gap or not, as a reader that has the log itself before it: a claim that differs is wrong.
// Failures: a journal that does not fold (the code says why).
Outcome<bool> fold_entry(projections::Projection& projection, const LogEntry& entry);

// Folds a journal without the cluster's secret, as the cluster did: a record waits until a signed head says
// whether the cluster ignored it (P34), or until the end.
class SettledFold {
 public:
  // Folds the records before `end`. Those behind are only read for what a signed head in them says.
  explicit SettledFold(const Uuid& cluster, Offset end = ~Offset{0});
  SettledFold(const SettledFold&) = delete;

  // The next record. Failures: those of fold_entry(), here and in finish().
  Outcome<bool> take(LogEntry entry);
  // After the last one: folds those that wait.
  Outcome<bool> finish();

  // A signed head has told of all before `end`, and they are folded.
  bool is_settled() const { return projection_->chain().next() == end_; }
  // Whether the cluster ignored the record at `end`; nullopt: not known yet.
  std::optional<bool> ignores_end() const { return ignores_end_; }
  // Behind what was taken, until finish().
  std::unique_ptr<projections::Projection>& projection() { return projection_; }
  // Tells of the records that the cluster ignored.
  void note_ignored(Shell& shell) const;

 private:
  Outcome<bool> fold_settled();

  const Offset end_;
  std::optional<bool> ignores_end_;
  std::unique_ptr<projections::Projection> projection_;
  projections::ChainAudit audit_;
  std::deque<LogEntry> waiting_;
  std::deque<bool> settled_;  // of the first that wait: whether the cluster ignored it
};

// The state after the record at `position`; with `index`, after that event of the record: good only for
// reading the state. Progress goes to the shell's status line. Failures: those of the API, a journal that
// does not fold (the code says why), position-not-reached (no record is there
// yet: kNotFound).
Outcome<std::unique_ptr<projections::Projection>> replay_to(Shell& shell, Api& api, Offset position,
                                                            std::optional<int> index = std::nullopt);

// As replay_to(). While `is_right` says no and no signed head covers the newest of these records, which may
// be some that the cluster ignored, looks again, for half a minute: a leader signs one within 15 s.
using IsRight = std::function<bool(projections::Projection&)>;
Outcome<std::unique_ptr<projections::Projection>> replay_until(Shell& shell, Api& api, Offset position,
                                                               const IsRight& is_right);

// "17" or, as events carry it, "17-0". Failures: usage.
struct PastPosition {
  Offset offset = 0;
  std::optional<int> index;
};
Outcome<PastPosition> parse_past_position(const std::string& text);

}  // namespace berth::cli
