// Decider: turns decisions into the leader's records (P4, P7).
//
// It opens a record at the trusted time, hands the state and the record's position to a decision, and has its
// events folded. A subject whose decision was forbidden before is decided about alone in a record. Owned by a
// Leader.
#pragma once

#include <string>

#include "controller/cell/leader/clock_guard.h"
#include "controller/cell/leader/record_pipeline.h"
#include "controller/decide/context.h"
#include "controller/feed/cluster_feed.h"

namespace berth::controller {

class Decider {
 public:
  Decider(const projections::State& state, const InHistory& in_history, ClusterFeed& feed,
          const ClockGuard& clock, RecordPipeline& pipeline)
      : state_(state), in_history_(in_history), feed_(feed), clock_(clock), pipeline_(pipeline) {}

  bool is_full() const { return pipeline_.is_full(); }
  bool is_broken() const { return pipeline_.is_broken(); }
  // What the next decision is given.
  DecisionContext context(const Instant& now);
  // The open record takes this input.
  void take_input(const LogEntry& entry, const Instant& now);
  // An event of the leader itself, about no subject.
  void add(v1::Event event, const Instant& now);
  // Decides about one subject without an input. Nothing but a requested end or an operator's release touches
  // a subject whose decisions failed twice.
  template <class F> void about(const std::string& subject, const Instant& now, Outputs& out, F decide) {
    const auto failed = failures(subject);
    if (failed >= 2) return;
    if (failed == 1) pipeline_.close(now, out);
    if (pipeline_.is_broken()) return;
    DecisionContext c = context(now);
    pipeline_.writer().add_subject(subject);
    decide(c);
    if (failed == 1)
      pipeline_.close(now, out);
    else
      pipeline_.close_if_large(now, out);
  }
  // How often a decision about this subject or input was forbidden.
  std::uint32_t failures(const std::string& what) const;
  bool anything_in_quarantine() const { return state_.quarantine.size() != 0; }

  void close(const Instant& now, Outputs& out) { pipeline_.close(now, out); }
  void close_if_large(const Instant& now, Outputs& out) { pipeline_.close_if_large(now, out); }

 private:
  void open(const Instant& now);

  const projections::State& state_;
  const InHistory& in_history_;
  ClusterFeed& feed_;
  const ClockGuard& clock_;
  RecordPipeline& pipeline_;
};

}  // namespace berth::controller
