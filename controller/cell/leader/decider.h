// Decider: turns decisions into the leader's records (P4, P7).
//
// It opens a record at the header time, hands the state and the record's position to a decision, and has its
// events folded. A subject whose decision was forbidden before is decided about alone in a record. Owned by a
// Leader.
#pragma once

#include <cstdint>
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

  // Decisions until take_input() are about `entry`, which must live until then.
  void begin_input(const LogEntry& entry, const Instant& now, Outputs& out);
  // Applies the events of `make`, and settles each session of which a kernel has ended. If the events do not
  // fit the open record, the record is closed and `make` runs again at the next position. Returns false if
  // they fit no record. Nothing is applied then, and nothing if is_broken() afterwards.
  template <class F> [[nodiscard]] bool apply(const Instant& now, Outputs& out, F make) {
    EventList events = make(context(now));
    if (!fits(events) && !pipeline_.writer().is_empty()) {
      cut(now, out);
      if (is_broken()) return true;
      events = make(context(now));
    }
    if (events.bytes() > kDecisionBytesMax) return false;
    add(std::move(events), now, out);
    return true;
  }
  // The open record takes the input: call it after the input's last decision.
  void take_input(const LogEntry& entry, const Instant& now);

  // Decides about one subject without an input. A subject whose decisions were forbidden twice is skipped:
  // only a request to end it or an operator's release still works (P7). A decision that fits no record
  // becomes the subject's internal error. Returns whether the events of `make` were applied; none were if
  // is_broken() afterwards.
  template <class F> bool decide_about(const std::string& subject, const Instant& now, Outputs& out, F make) {
    const auto failed = failures(subject);
    if (failed >= kGivenUp) return false;
    if (failed == 1) pipeline_.close(now, out);
    if (is_broken()) return false;
    open(now);
    pipeline_.writer().add_subject(subject);
    subject_ = subject;
    const bool applied = apply(now, out, make);
    if (!applied) give_up(now);
    subject_.clear();
    if (failed == 1)
      pipeline_.close(now, out);
    else
      pipeline_.close_if_large(now, out);
    return applied;
  }
  // Of the next event, were it decided now.
  projections::Position next(const Instant& now) {
    open(now);
    return pipeline_.writer().next();
  }
  // An event of the leader itself, about no subject.
  void add_own(v1::Event event, const Instant& now);
  // How often a decision about this subject or input was forbidden; kGivenUp once it is answered by an
  // internal error.
  std::uint32_t failures(const std::string& what) const;
  static constexpr std::uint32_t kGivenUp = 2;
  bool anything_in_quarantine() const { return state_.quarantine.size() != 0; }

  void close(const Instant& now, Outputs& out) { pipeline_.close(now, out); }
  void close_if_large(const Instant& now, Outputs& out) { pipeline_.close_if_large(now, out); }
  // A record that was opened before the clock was believed is closed: what is due by now is decided in
  // another.
  void close_if_past(const Instant& now, Outputs& out);

 private:
  bool fits(const EventList& events) const;
  void open(const Instant& now);
  void give_up(const Instant& now);
  DecisionContext context(const Instant& now);
  void add(EventList events, const Instant& now, Outputs& out);
  void cut(const Instant& now, Outputs& out);

  const projections::State& state_;
  const InHistory& in_history_;
  ClusterFeed& feed_;
  const ClockGuard& clock_;
  RecordPipeline& pipeline_;
  std::string subject_;              // the subject that is decided about
  const LogEntry* input_ = nullptr;  // or the input
};

// As quarantine names an input: "requests/0@17".
std::string input_name(const LogEntry& entry);

}  // namespace berth::controller
