// Leader: decides, routes, acknowledges. Made when its election is read back, dropped when it has lost.
//
//   inputs --> InputQueue --> InputRounds --+--> Decider --> RecordPipeline --> journal
//   time, state ------------> Rounds -------+                     | read back
//   beats  --> LeaseBook, BeatAcks --> health                OrderOutbox --> orders
//
// It is optimistic (P10): each record is folded into its projection at once, and the next decision builds on
// it; its orders leave when it was read back (P11). Whatever ends the reign makes a call return Lost: the
// optimistic projection is then ahead of the log and worth nothing. Every agent that is alive gets a full
// lease of grace at the start.
//
// Owned by a Controller, on its strand.
#pragma once

#include <set>
#include <string>

#include "controller/cell/config.h"
#include "controller/cell/leader/beat_acks.h"
#include "controller/cell/leader/clock_guard.h"
#include "controller/cell/leader/decider.h"
#include "controller/cell/leader/input_queue.h"
#include "controller/cell/leader/input_rounds.h"
#include "controller/cell/leader/leadership.h"
#include "controller/cell/leader/lease_book.h"
#include "controller/cell/leader/order_outbox.h"
#include "controller/cell/leader/record_pipeline.h"
#include "controller/cell/leader/rounds.h"
#include "controller/cell/leader/router.h"
#include "controller/cell/ports.h"
#include "controller/decide/context.h"
#include "controller/feed/cluster_feed.h"
#include "controller/feed/leader_todo.h"
#include "events/codec/signing.h"

namespace berth::controller {

inline constexpr const char* kControllerWriter =
    "controller";  // of heartbeats, under a key of all controllers

class Leader {
 public:
  // `projection`: its last record is this leader's election. `nonce`: of that election. `heard`: the
  // cluster's time now, by the heartbeats of the leader before; 0: none was heard. All references outlive the
  // leader.
  Leader(const ControllerConfig& config, projections::Projection& projection, Verifier& verifier,
         const InHistory& in_history, Tickets& tickets, ControllerCounters& counters, const Uuid& nonce,
         const Instant& now, Timestamp heard, Outputs& out);
  ~Leader();
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  // Whether its copy was compared with the log, and the last inputs taken are still in the log.
  bool deciding() const { return compared_ && inputs_.all_checked(); }
  const placement::Cluster& scheduler() const { return feed_.cluster(); }

  void read_input(LogEntry entry) { inputs_.read(std::move(entry)); }
  void read_beat(const std::string& payload, const Instant& now);
  // The copy was compared with the log once more after the election (ADR 0053).
  void copy_compared() { compared_ = true; }
  const LeaseBook& leases() const { return leases_; }
  void chain_point_read(projections::ChainPoint point) { rounds_.chain_point_read(std::move(point)); }
  void selection_found(SelectionFound found) { rounds_.selection_found(std::move(found)); }

  // A leader reads back its own records in order; one that was not applied ends the reign, and its orders
  // never leave (P11). So does a record of another writer that was applied; a void one is ignored.
  [[nodiscard]] Leadership read_back(const JournalRead& read, Outputs& out);
  [[nodiscard]] Leadership appended(const Appended& fate, const Instant& now, Outputs& out);
  [[nodiscard]] Leadership input_checked(const InputChecked& answer, Outputs& out);
  [[nodiscard]] Leadership tick(const Instant& now, Outputs& out);
  // Its last heartbeat: it stops.
  void leave(const Instant& now, Outputs& out) { send_heartbeat(now, true, out); }
  // Decides what can be decided, then sends what is due.
  [[nodiscard]] Leadership flush(const Instant& now, Outputs& out);

 private:
  void beat(const Instant& now, Outputs& out);
  void send_heartbeat(const Instant& now, bool leaves, Outputs& out);
  void send_snapshots(Outputs& out);
  void glance(const Instant& now, Outputs& out);

  const ControllerConfig& config_;
  projections::Projection& projection_;
  Verifier& verifier_;
  Uuid nonce_;

  std::set<std::string> snapshot_for_;  // agents that are to get one
  ClusterFeed feed_;
  LeaderTodo todo_;
  LeaseBook leases_;
  // The projection's listener: hands each change of a row to all three.
  struct Rows {
    ClusterFeed& feed;
    LeaderTodo& todo;
    LeaseBook& leases;
    template <class Row>
    requires requires(ClusterFeed& to, const Row* row) { to.on_row(row, row); }
    void on_row(const Row* before, const Row* after) {
      feed.on_row(before, after);
      if constexpr (requires(LeaderTodo & to) { to.on_row(before, after); }) todo.on_row(before, after);
      if constexpr (requires(LeaseBook & to) { to.on_row(before, after); }) leases.on_row(before, after);
    }
  };
  Rows rows_{feed_, todo_, leases_};
  ClockGuard clock_;
  InputQueue inputs_;
  Router router_;
  OrderOutbox outbox_;
  RecordPipeline pipeline_;
  Decider decider_;
  InputRounds input_rounds_;
  Rounds rounds_;
  BeatAcks acks_;

  bool compared_ = false;
  Timestamp heartbeat_sent_ = 0;   // boottime, as all below
  Timestamp own_reads_alive_ = 0;  // when something of its own last came back on `health`
  Timestamp ticked_ = 0;
  Timestamp glanced_ = 0;  // the last glance at journal and inputs
  Offset glanced_to_ = 0;  // up to where the journal was read then
};

}  // namespace berth::controller
