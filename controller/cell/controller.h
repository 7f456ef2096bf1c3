// Controller: elects, decides, routes. Pure: no I/O, no threads, no clock; the runtime and the simulator
// drive it.
//
//                 silence for T, copy = log's end           own election read back
//     STANDBY ------------------------------> CANDIDATE ------------------------------> LEADER
//        ^                                        |                                        |
//        +------- another election read ----------+                                        |
//        +-- reload <- higher epoch read, append failed or unknown, own record void, not read back in D --+
//
// A leader decides on its own undurable records and pipelines them (P10): each is folded into its projection
// at once, its orders wait until it was read back. A standby folds what it reads. Work per call is bounded:
// step() takes one input in, flush() decides at most some hundred things and says in Outputs::more when there
// are more.
//
// Owned by one strand.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "controller/cell/leader/clock_guard.h"
#include "controller/cell/leader/lease_book.h"
#include "controller/cell/leader/record_writer.h"
#include "controller/cell/leader/router.h"
#include "controller/cell/ports.h"
#include "controller/decide/decide.h"
#include "controller/feed/cluster_feed.h"
#include "events/base/random.h"
#include "events/codec/signing.h"
#include "events/schema/v1/report.pb.h"

namespace berth::controller {

struct ControllerConfig {
  Uuid cluster;
  std::string secret;  // the cluster's (P1)
  std::string name;    // of this controller, unique in the cluster
  LogLayout layout;
  bool stand_at_once = false;  // nobody else can be there (local log): do not wait for silence
  Duration heartbeat = 100 * kMillisecond;
  Duration silence = 600 * kMillisecond;  // T of P9
  Duration read_back = 5 * kSecond;       // D of P10
  Duration progress = kSecond;            // heartbeats stop when a record is in flight longer (P20)
  Duration pass_interval = 10 * kSecond;
  Duration glance_every = 30 * kSecond;  // at the last inputs taken: are they still what was read (P13)?
  std::int64_t learn_after =
      100;  // sessions that a group was asked for before its selection learns from them
  std::size_t records_in_flight = 64;
  std::size_t bytes_in_flight = 8u << 20;
  std::size_t record_bytes = 64u << 10;  // a record is closed when it has grown to this
  // Of groups that select by a policy of their own; outlives the controller. Null: there are none.
  placement::CustomPolicies* policies = nullptr;
  // Tests and the simulator: a request for which a forbidden event is decided (P7). Never set in production.
  std::function<bool(const v1::Request&)> poison;
};

struct ControllerCounters {
  std::uint64_t requests = 0, reports = 0, dropped = 0, records = 0, events = 0, placements = 0, orders = 0,
                elections = 0, step_downs = 0, beats = 0;
};

class Controller {
 public:
  enum class Mode : std::uint8_t { kStandby, kCandidate, kLeader };

  // `projection`: a copy of the durable fold as loaded; the journal goes on at its chain().next().
  Controller(ControllerConfig config, std::unique_ptr<projections::Projection> projection,
             RandomSource& random, InHistory in_history);

  void step(Input input, const Instant& now, Outputs& out);
  // Decides what can be decided. Call it when the queue of inputs is empty, or every few hundred inputs.
  void flush(const Instant& now, Outputs& out);

  Mode mode() const { return mode_; }
  // A leader that has compared its copy with the log, checked its inputs, and decides.
  bool deciding() const { return mode_ == Mode::kLeader && compared_ && unchecked_.empty(); }
  const projections::Projection& projection() const { return *projection_; }
  const placement::Cluster& scheduler() const { return feed_.cluster(); }
  const ControllerCounters& counters() const { return counters_; }
  std::size_t in_flight() const { return in_flight_.size(); }
  std::size_t queued() const { return queue_.size(); }

 private:
  struct InFlight {
    std::uint64_t ticket = 0;
    Hash256 link{};
    std::size_t bytes = 0;
    Timestamp appended = 0;  // boottime
    std::vector<std::pair<projections::Position, Append>> orders;
  };
  // An input, or the news that the inputs before this offset are gone or to be read again (P13).
  struct Queued {
    LogEntry entry;
    bool rewind = false;
  };
  struct SentOrder {
    projections::Position position;
    Append append;
    bool acknowledged = false;
  };

  // controller.cc
  void on(InputRead input, const Instant& now, Outputs& out);
  void on(HealthRead input, const Instant& now, Outputs& out);
  void on(Appended input, const Instant& now, Outputs& out);
  void on(InputChecked input, const Instant& now, Outputs& out);
  void on(InputsLost, const Instant& now, Outputs& out);
  void on(ChainPointRead input, const Instant& now, Outputs& out);
  void on(SelectionFound input, const Instant& now, Outputs& out);
  void on(Tick, const Instant& now, Outputs& out);
  void send_acks(Outputs& out);

  // leadership.cc
  void on(JournalRead input, const Instant& now, Outputs& out);
  void on(ControlRead input, const Instant& now, Outputs& out);
  void on(JournalEnd input, const Instant& now, Outputs& out);
  void on(Reloaded input, const Instant& now, Outputs& out);
  void follow(const JournalRead& input, const Instant& now, Outputs& out);
  void lead(const JournalRead& input, Outputs& out);
  void become_leader(const Instant& now, Outputs& out);
  void step_down(std::string why, Outputs& out);
  void ask_reload(Outputs& out);
  void release_orders(InFlight& record, Outputs& out);
  void send_order(const projections::Position& position, Append append, Outputs& out);
  std::vector<CheckInput> checks_of_inputs() const;
  void watch_leader(const Instant& now, Outputs& out);
  void keep_leading(const Instant& now, Outputs& out);
  void send_heartbeat(const Instant& now, Outputs& out);

  // deciding.cc
  bool full() const;
  void decide_inputs(const Instant& now, Outputs& out);
  void decide_input(const LogEntry& entry, const Instant& now, Outputs& out);
  void decide_request_entry(const LogEntry& entry, const Instant& now);
  void decide_report_entry(const LogEntry& entry, const Instant& now);
  void decide_quarantined(const LogEntry& entry, std::uint32_t failures, const Instant& now, Outputs& out);
  void decide_rewind(const Partition& partition, Offset to, const Instant& now, Outputs& out);
  void want_facts_again(std::uint32_t partition);
  void decide_clock(const Instant& now, Outputs& out);
  void decide_timers(const Instant& now, Outputs& out);
  void decide_lost_agents(const Instant& now, Outputs& out);
  void follow_up_lost_agents(const Instant& now, Outputs& out);
  void follow_up_dependencies(const Instant& now, Outputs& out);
  void decide_learning(const Instant& now, Outputs& out);
  void decide_passes(const Instant& now, Outputs& out);
  void emit_decisions(struct PassDecisions& decisions, const Instant& now, Outputs& out);
  void record_chain_head(const Instant& now, Outputs& out);
  DecisionContext context(const Instant& now);
  void need_record(const Instant& now);
  void close_record(const Instant& now, Outputs& out);
  void close_if_large(const Instant& now, Outputs& out);
  // Decides about one subject without input; skipped while it is in quarantine, alone if it failed once.
  template <class F>
  void decide_about(const std::string& subject, const Instant& now, Outputs& out, F decide);
  std::uint32_t quarantine_failures(const std::string& what) const;

  ControllerConfig config_;
  std::unique_ptr<projections::Projection> projection_;
  RandomSource& random_;
  InHistory in_history_;
  Verifier verifier_;
  Router router_;
  ClusterFeed feed_;
  ClockGuard clock_;
  LeaseBook leases_;
  ControllerCounters counters_;

  Mode mode_ = Mode::kStandby;
  bool reloading_ = false;
  std::uint64_t tickets_ = 0;

  // standby and candidate
  Timestamp leader_heard_ = 0;          // boottime; 0: not yet set
  Uuid candidacy_;                      // nonce of the election in flight
  std::uint64_t candidacy_ticket_ = 0;  // 0: its append is settled
  Timestamp candidacy_since_ = 0;
  bool end_asked_ = false;

  // leader
  Uuid nonce_;
  bool compared_ = false;  // the copy with the log, since its election was read back
  std::unique_ptr<RecordWriter> writer_;
  std::deque<InFlight> in_flight_;
  std::deque<Hash256> own_links_;  // of own records read back lately
  std::size_t bytes_in_flight_ = 0;
  std::deque<Queued> queue_;                        // inputs not yet decided
  std::map<Partition, Offset> expected_;            // next input to be queued
  std::set<Partition> unchecked_;                   // inputs whose last one is not yet compared with the log
  std::map<std::uint64_t, SentOrder> sent_orders_;  // by ticket, until acknowledged and all before it are
  projections::Position routed_;
  std::set<std::string> snapshot_for_;  // agents that need one
  std::vector<v1::Ack> acks_;
  std::optional<projections::ChainPoint> chain_point_;
  std::set<std::string> learning_;     // groups whose learning is asked for
  std::vector<SelectionFound> found_;  // and answered
  Timestamp heartbeat_sent_ = 0;       // boottime
  Timestamp own_reads_alive_ = 0;      // boottime when the own heartbeat last came back
  Timestamp ticked_ = 0;
  Timestamp passed_ = 0;   // last interval pass
  Timestamp glanced_ = 0;  // last glance at the inputs
  bool interval_pass_ = false;
  ClockGuard::Verdict clock_verdict_ = ClockGuard::Verdict::kFine;
};

}  // namespace berth::controller
