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

  // What is decided from here to take_input() is about this input, which stays where it is.
  void begin_input(const LogEntry& entry, const Instant& now);
  // Applies what `decide` answers, and settles each session of which a kernel has ended. A decision that does
  // not fit the open record is not moved: the record is closed, and `decide` is asked again at the next
  // position.
  template <class F> void apply(const Instant& now, Outputs& out, F decide) {
    EventList events = decide(context(now));
    if (!pipeline_.writer().fits(events) && !pipeline_.writer().is_empty()) {
      cut(now, out);
      if (is_broken()) return;
      events = decide(context(now));
    }
    add(std::move(events), now, out);
  }
  // The open record takes the input: all that it leads to is applied.
  void take_input(const LogEntry& entry, const Instant& now);

  // Decides about one subject without an input. Nothing but a requested end or an operator's release touches
  // a subject whose decisions failed twice.
  template <class F> void about(const std::string& subject, const Instant& now, Outputs& out, F decide) {
    const auto failed = failures(subject);
    if (failed >= 2) return;
    if (failed == 1) pipeline_.close(now, out);
    if (is_broken()) return;
    open(now);
    pipeline_.writer().add_subject(subject);
    about_ = subject;
    apply(now, out, decide);
    about_.clear();
    if (failed == 1)
      pipeline_.close(now, out);
    else
      pipeline_.close_if_large(now, out);
  }
  // An event of the leader itself, about no subject.
  void add_own(v1::Event event, const Instant& now);
  // How often a decision about this subject or input was forbidden.
  std::uint32_t failures(const std::string& what) const;
  bool anything_in_quarantine() const { return state_.quarantine.size() != 0; }

  void close(const Instant& now, Outputs& out) { pipeline_.close(now, out); }
  void close_if_large(const Instant& now, Outputs& out) { pipeline_.close_if_large(now, out); }

 private:
  void open(const Instant& now);
  DecisionContext context(const Instant& now);
  void add(EventList events, const Instant& now, Outputs& out);
  void cut(const Instant& now, Outputs& out);

  const projections::State& state_;
  const InHistory& in_history_;
  ClusterFeed& feed_;
  const ClockGuard& clock_;
  RecordPipeline& pipeline_;
  std::string about_;                // the subject that is decided about
  const LogEntry* input_ = nullptr;  // or the input
};

// As quarantine names an input: "requests/0@17".
std::string input_name(const LogEntry& entry);

}  // namespace berth::controller
